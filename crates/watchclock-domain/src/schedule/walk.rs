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
}
