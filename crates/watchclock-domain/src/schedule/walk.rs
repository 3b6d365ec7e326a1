//! From civil times to moments: what an expression means where clocks are changed. Civil times are in `pattern`, zones in `zone`.

use super::{pattern::Pattern, zone::Zone};

/// What a clock change does to an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// Cron with fixed hour and minute: a skipped time runs at the end of the gap, a repeated one the first time (Debian's cron(8)).
    Fixed,
    /// Cron with a `*` hour or minute: real minutes; skipped times do not exist, repeated ones happen twice.
    Real,
    /// OnCalendar: a skipped time does not exist, a repeated one happens the first time.
    Once,
}

/// What a clock change did to one slot. Civil times are seconds from 1970-01-01 00:00 on the zone's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// Its time was skipped, so it comes at the end of the gap.
    Skipped { civil: i64, gap: (i64, i64) },
    /// Its time comes again at a later moment.
    Repeated { civil: i64, again: i64 },
}

/// One expression, ready to be asked.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) pattern: Pattern,
    pub(super) clock: Clock,
    pub(super) zone: Zone,
}

impl Line {
    /// The first moment after a moment, both in Unix seconds.
    pub(super) fn next(&self, after: i64) -> Option<i64> {
        let table = self.zone.table();
        let mut segment = table.segment_at(after);
        let mut civil = after + table.offsets[segment] + 1;
        if self.clock == Clock::Real {
            let mut found = self.pattern.at_or_after(civil)?;
            loop {
                if found < table.civil_ends[segment] {
                    return Some(found - table.offsets[segment]);
                }
                segment += 1;
                let start = table.civil_start(segment);
                if start < civil || start > found {
                    found = self.pattern.at_or_after(start)?;
                }
                civil = start;
            }
        }
        // what the span before this one has shown already is not shown again
        if let Some(previous) = segment.checked_sub(1) {
            civil = civil.max(table.civil_ends[previous]);
        }
        loop {
            let found = self.pattern.at_or_after(civil)?;
            let moment;
            (segment, moment) = table.first_instant_from(found, segment);
            if self.clock == Clock::Fixed || moment + table.offsets[segment] == found {
                return Some(moment);
            }
            civil = table.civil_start(segment);
        }
    }

    /// The last moment before a moment, both in Unix seconds.
    pub(super) fn prev(&self, before: i64) -> Option<i64> {
        let table = self.zone.table();
        let mut segment = table.segment_at(before - 1);
        let mut civil = before - 1 + table.offsets[segment];
        if self.clock == Clock::Real {
            let mut found = self.pattern.at_or_before(civil)?;
            loop {
                if found >= table.civil_start(segment) {
                    return Some(found - table.offsets[segment]);
                }
                segment -= 1;
                let end = table.civil_ends[segment] - 1;
                if end > civil || end < found {
                    found = self.pattern.at_or_before(end)?;
                }
                civil = end;
            }
        }
        if let Some(previous) = segment.checked_sub(1)
            && civil < table.civil_ends[previous]
        {
            civil = table.civil_ends[previous] - 1;
        }
        loop {
            let found = self.pattern.at_or_before(civil)?;
            let (segment, moment) = table.first_instant_from(found, 0);
            if self.clock == Clock::Fixed || moment + table.offsets[segment] == found {
                return Some(moment);
            }
            civil = table.civil_ends[segment - 1] - 1;
        }
    }

    /// What a clock change did to a slot of this expression; nothing on ordinary days.
    pub(super) fn shift(&self, slot: i64) -> Option<Shift> {
        if self.clock == Clock::Real {
            return None;
        }
        let table = self.zone.table();
        let segment = table.segment_at(slot);
        let civil = slot + table.offsets[segment];
        let found = if let Some(before) = segment.checked_sub(1).filter(|_| table.starts[segment] == slot) {
            let gap = (table.civil_ends[before], civil);
            let last = self.pattern.at_or_before(civil - 1).filter(|last| *last >= gap.0)?;
            let is_its_own = self.pattern.at_or_after(civil) == Some(civil);
            (self.clock == Clock::Fixed && !is_its_own).then_some(Shift::Skipped { civil: last, gap })?
        } else {
            let next = segment + 1;
            let again = (next < table.starts.len() && civil >= table.civil_start(next))
                .then(|| civil - table.offsets[next])?;
            Shift::Repeated { civil, again }
        };
        (self.prev(slot + 1) == Some(slot)).then_some(found)
    }

    /// The last moment at which a scheduler that treats clock changes in another way would start a slot's run.
    pub(super) fn latest(&self, slot: i64) -> i64 {
        match self.shift(slot) {
            None => slot,
            // as if the clock had not been changed
            Some(Shift::Skipped { civil, gap }) => slot + (civil - gap.0),
            Some(Shift::Repeated { again, .. }) => again,
        }
    }
}
