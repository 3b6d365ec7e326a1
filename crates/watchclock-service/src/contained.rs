//! Contains a fault in our own code: what one monitor's facts bring about must not end the task that serves all of them.

use std::{any::Any, panic::AssertUnwindSafe};

use futures_util::FutureExt as _;
use watchclock_store::StoreError;

/// What a transaction came to; a panic becomes an error. Nothing of it is kept: its transaction is rolled back, and facts
/// that it had taken out of caches are read again.
pub(crate) async fn contained<T, E: From<StoreError>>(
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.unwrap_or_else(|panic| Err(StoreError::Fault(words(panic.as_ref())).into()))
}

/// What a panic says; where it happened is in the log already.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it says nothing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_that_says_what_it_said() {
        let number =
            |text: &str| text.parse::<u8>().map_err(|error| StoreError::Migration(error.to_string()));
        assert_eq!(contained(async { number("5") }).await.ok(), Some(5));
        let error = contained::<u8, StoreError>(async { panic!("{} is too much", 5) }).await.unwrap_err();
        assert_eq!(error.to_string(), "a fault in Watchclock, please report it: 5 is too much");
        assert!(!error.is_transient());
    }
}
