# The doors of the house; what happens behind each is in scripts/.

.DEFAULT_GOAL := help
.PHONY: help run test check fix prepare bench fuzz

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## start the server (ARGS="--listen 127.0.0.1:9000" adds flags)
	@scripts/run $(ARGS)

test: ## everything that must hold: format, lints, licences, all tests
	@scripts/test $(ARGS)

check: ## only format and lints
	@scripts/check

fix: ## format, and apply what clippy can
	@scripts/fix

prepare: ## regenerate .sqlx after a change of SQL or migrations
	@scripts/prepare

bench: ## measure (ARGS are handed on)
	@scripts/bench $(ARGS)

fuzz: ## random input, a minute for each target (ARGS="cron rule" for some)
	@scripts/fuzz $(ARGS)
