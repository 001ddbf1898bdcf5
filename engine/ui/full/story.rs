//! The story pane: everything told, broken into lines once for the width it is shown at, and the
//! stretch of it that is in sight.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::log::LOG_BYTES;
use super::super::{facts, wrap};
use super::theme::{RULE, Theme, run_line, styled};
use crate::kit::text;
use crate::play::{Event, Past};

/// In a pane of so many rows drawings are drawn.
const DRAWN_FROM: usize = 6;

/// A thing that was told.
pub(super) enum Told {
    Event(Event),
    /// What the player answered.
    Answer(String),
    /// A Problem, as it is shown.
    Trouble(String),
}

impl Told {
    /// About how many bytes it takes to hold.
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Event(event) => event.bytes(),
                Self::Answer(words) | Self::Trouble(words) => words.len(),
            }
    }
}

impl From<Past> for Told {
    fn from(past: Past) -> Self {
        match past {
            Past::Told(event) => Self::Event(event),
            Past::Answered(words) => Self::Answer(words),
        }
    }
}

/// Everything told since the story began.
#[derive(Default)]
pub(super) struct Story {
    told: Vec<Told>,
    /// The first thing of the newest step: where the pane comes to rest if not all of it fits.
    fresh: usize,
    /// The first thing that is not drawn quietly as long past.
    recent: usize,
    /// Whether what is told next is what the pane comes to rest at.
    turning: bool,
    /// How much of it was told when somebody was asked last.
    seen: usize,
    /// How much of it has been in sight to its end: nobody is asked to read that once more.
    read: usize,
    /// Rows of the pane when it was drawn last.
    height: usize,
    /// Whether there is more of the newest step below what was drawn last, which nobody has seen yet.
    unread: bool,
    /// Lines that the person has scrolled from where the pane comes to rest; up is negative.
    scrolled: isize,
    lines: Vec<Line<'static>>,
    /// For each thing told, its first line.
    starts: Vec<usize>,
    /// The width and the look that the lines were broken for, and whether without drawings.
    drawn_for: Option<(usize, Theme, bool)>,
    /// About how many bytes are held, and whether something older is held no more.
    bytes: usize,
    is_cut: bool,
}

impl Story {
    /// Begins anew with what was told before. What went wrong, and was told while nobody could have
    /// seen it yet, is told again.
    pub(super) fn begin(&mut self, past: &[Past]) {
        let mut unseen = self.told.split_off(self.seen.min(self.told.len()));
        unseen.retain(|told| matches!(told, Told::Trouble(_)));
        *self = Self::default();
        for told in past.iter().cloned().map(Told::from) {
            self.fresh = self.told.len();
            self.told.push(told);
            self.cut();
        }
        let is_heading = |told: &Told| matches!(told, Told::Event(Event::Heading { .. }));
        self.recent = self.told.iter().rposition(is_heading).unwrap_or(0);
        // It was read before; the pane rests at its end.
        self.fresh = self.told.len();
        self.read = self.told.len();
        self.told.append(&mut unseen);
    }

    /// Somebody is asked, and so has seen what was told.
    pub(super) fn shown(&mut self) {
        self.seen = self.told.len();
    }

    pub(super) fn push(&mut self, told: Told) {
        if std::mem::take(&mut self.turning) {
            self.fresh = self.told.len();
        }
        self.told.push(told);
        self.cut();
        self.scrolled = 0;
    }

    /// What is told from here on is new.
    pub(super) fn mark_fresh(&mut self) {
        self.unread = false;
        self.turning = false;
        self.fresh = self.told.len();
        self.recent = self.fresh;
        self.scrolled = 0;
    }

    /// The pane comes to rest at what is told from here on; what was told before stays as it is.
    pub(super) fn turn(&mut self) {
        self.turning = true;
    }

    /// Whether there is more to read of the newest step, as it was drawn last.
    pub(super) fn is_unread(&self) -> bool {
        self.unread
    }

    /// Moves the stretch in sight by pages, less a line to find one's place by where there are some.
    pub(super) fn scroll(&mut self, pages: isize) {
        let kept = if self.height < DRAWN_FROM { 0 } else { 2 };
        let page = isize::try_from(self.height.saturating_sub(kept).max(1)).unwrap_or(isize::MAX);
        self.scrolled = self.scrolled.saturating_add(pages.saturating_mul(page));
    }

    /// Moves the stretch in sight by lines.
    pub(super) fn scroll_lines(&mut self, lines: isize) {
        self.scrolled = self.scrolled.saturating_add(lines);
    }

    /// The whole story in lines of a width.
    pub(super) fn all_lines(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        lines_of(&self.told, columns, theme)
    }

    /// Whether something older is held no more.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Lets the oldest go where more is held than a log may hold, half of it at once, since all lines are
    /// broken anew.
    fn cut(&mut self) {
        self.bytes += self.told.last().map_or(0, Told::bytes);
        if self.bytes <= LOG_BYTES {
            return;
        }
        let mut gone = 0;
        // What is in sight stays, however much it is.
        while self.bytes > LOG_BYTES / 2 && gone < self.fresh.min(self.told.len()) {
            self.bytes -= self.told[gone].bytes();
            gone += 1;
        }
        self.is_cut |= gone > 0;
        self.told.drain(..gone);
        for at in [&mut self.fresh, &mut self.recent, &mut self.seen, &mut self.read] {
            *at = at.saturating_sub(gone);
        }
        if gone > 0 {
            self.drawn_for = None;
        }
    }

    fn break_lines(&mut self, columns: usize, theme: Theme, bare: bool) {
        if self.drawn_for != Some((columns, theme, bare)) {
            self.lines.clear();
            self.starts.clear();
            self.drawn_for = Some((columns, theme, bare));
        }
        for at in self.starts.len()..self.told.len() {
            self.starts.push(self.lines.len());
            let follows = self.follows_an_answer(at);
            match &self.told[at] {
                Told::Event(Event::Say { text }) if bare => {
                    let words = wrap::without_drawings(text);
                    if !words.is_empty() || text.is_empty() {
                        let told = Told::Event(Event::Say { text: words });
                        add_lines(&mut self.lines, &told, follows, columns, theme);
                    }
                }
                told => add_lines(&mut self.lines, told, follows, columns, theme),
            }
        }
    }

    /// Whether nothing was told between an answer and the one before it.
    fn follows_an_answer(&self, at: usize) -> bool {
        follows_an_answer(&self.told, at)
    }

    /// The line where the pane comes to rest if not all of the newest step fits: its beginning, and
    /// where it is too long, without the answer that led there, which is remembered.
    fn rest_at(&self, height: usize) -> usize {
        let all = self.lines.len();
        let start = |at: usize| self.starts.get(at).copied().unwrap_or(all);
        let answers = self.told.iter().skip(self.fresh);
        let answers = answers.take_while(|told| matches!(told, Told::Answer(_))).count();
        let fits = start(self.fresh) + height >= all;
        start(if fits { self.fresh } else { self.fresh + answers })
    }

    /// Draws the stretch in sight. At rest this is the end of the story; where the newest step
    /// does not fit, its beginning, with a sign below.
    pub(super) fn draw(&mut self, area: Rect, buf: &mut Buffer, theme: Theme, on: &str) {
        let height = usize::from(area.height);
        if area.width < 2 || height == 0 {
            return;
        }
        // Where few rows are left, a drawing would take them all.
        self.break_lines(usize::from(area.width), theme, height < DRAWN_FROM);
        let all = self.lines.len();
        let fresh = self.rest_at(height);
        let recent = self.starts.get(self.recent).copied().unwrap_or(all);
        self.height = height;
        let last = all.saturating_sub(height);
        // A gap before the newest step is not worth a row at the top.
        let gap = self.lines.get(fresh).is_some_and(|line| line.width() == 0);
        let all_read = self.read >= self.told.len();
        let rest = if all_read { last } else { last.min(fresh + usize::from(gap)) };
        let top = rest.saturating_add_signed(self.scrolled).min(last);
        self.scrolled = top as isize - rest as isize;
        for (row, line) in self.lines[top..].iter().take(height).enumerate() {
            let y = area.y + row as u16;
            buf.set_line(area.x, y, line, area.width);
            if top + row < recent {
                let dim = Rect { y, height: 1, ..area };
                buf.set_style(dim, theme.quiet());
            }
        }
        if top > 0 && self.scrolled < 0 {
            sign(area, area.y, buf, theme, &format!(" {top} more above "));
        }
        let below = all - (top + height).min(all);
        // Who goes back to what is long past has not left anything unread.
        self.unread = below > 0 && self.scrolled >= 0;
        let ends = self.starts.iter().skip(1).copied().chain([all]);
        self.read = self.read.max(ends.take_while(|end| *end <= top + height).count());
        // The rule under the story has room for what is to be said; else a line of it gives way.
        let under = buf.cell((area.x, area.bottom())).is_some_and(|cell| cell.symbol() == RULE);
        if below > 0 {
            let (y, below) =
                if under { (area.bottom(), below) } else { (area.bottom() - 1, below + 1) };
            let words = match self.unread {
                true => format!(" {below} more below: {on} reads on "),
                false => format!(" {below} more below: {on} "),
            };
            let words = wrap::cut(&words, usize::from(area.width));
            if under {
                clear_rule(buf, area.x, y, text::width(&words), theme);
                buf.set_stringn(area.x, y, &words, usize::from(area.width), theme.over());
            } else {
                sign(area, y, buf, theme, &words);
            }
        }
    }
}

fn follows_an_answer(told: &[Told], at: usize) -> bool {
    at > 0 && matches!(told[at - 1], Told::Answer(_))
}

/// All of what was told in lines of a width.
pub(super) fn lines_of(all: &[Told], columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for (at, told) in all.iter().enumerate() {
        add_lines(&mut out, told, follows_an_answer(all, at), columns, theme);
    }
    out
}

/// Takes what else is said on a rule away, where so many columns of it would lie over a part of that: what
/// there is to read is read first.
fn clear_rule(buf: &mut Buffer, from: u16, y: u16, columns: usize, theme: Theme) {
    let said = |buf: &Buffer, x: u16| {
        buf.cell((x, y)).is_some_and(|cell| cell.symbol() != RULE && buf.area.right() > x)
    };
    let columns = columns as u16;
    if !(from..from + columns + 1).any(|x| said(buf, x)) {
        return;
    }
    let first = (from..buf.area.right()).find(|x| said(buf, *x)).unwrap_or(from);
    for x in (first..buf.area.right())
        .take_while(|x| *x < from + columns || said(buf, *x))
        .collect::<Vec<_>>()
    {
        buf.set_string(x, y, RULE, theme.quiet());
    }
}

fn sign(area: Rect, y: u16, buf: &mut Buffer, theme: Theme, words: &str) {
    let words = wrap::cut(words, usize::from(area.width));
    let blank = " ".repeat(usize::from(area.width));
    buf.set_stringn(area.x, y, blank, usize::from(area.width), theme.ground());
    let x = area.right() - text::width(&words) as u16;
    buf.set_stringn(x, y, &words, usize::from(area.width), theme.over());
}

fn add_lines(
    out: &mut Vec<Line<'static>>,
    told: &Told,
    follows: bool,
    columns: usize,
    theme: Theme,
) {
    let mut marked = |lead: &str, marked: &str, style| {
        let indent = text::width(lead);
        for (index, runs) in
            wrap::marked(marked, columns.saturating_sub(indent).max(1)).into_iter().enumerate()
        {
            let lead = if index == 0 { lead.to_owned() } else { " ".repeat(indent) };
            out.push(run_line(&lead, runs, style));
        }
    };
    match told {
        Told::Event(Event::Say { text }) => marked("", text, theme.plain()),
        Told::Event(Event::Note { text }) => marked("  ", text, theme.quiet()),
        Told::Event(Event::Gain { text }) => marked("+ ", text, theme.good()),
        Told::Event(Event::Loss { text }) => marked("- ", text, theme.bad()),
        Told::Event(Event::Heading { text }) => {
            if !out.is_empty() {
                out.push(Line::default());
            }
            for runs in wrap::marked(text, columns) {
                out.push(run_line("", runs, theme.heading()));
            }
        }
        Told::Event(Event::Roll(roll)) => {
            let lines = wrap::hanging("* ", &facts::roll(roll), columns);
            let outcome = roll.outcome.as_deref().map(facts::line).unwrap_or_default();
            let last = lines.len() - 1;
            for (index, line) in lines.into_iter().enumerate() {
                out.push(match line.strip_suffix(&outcome) {
                    Some(sum) if index == last => Line::from(vec![
                        Span::styled(sum.to_owned(), theme.plain()),
                        Span::styled(outcome.clone(), theme.strong()),
                    ]),
                    _ => styled(line, theme.plain()),
                });
            }
        }
        Told::Answer(answer) => {
            if !follows {
                out.push(Line::default());
            }
            let lines = wrap::hanging("> ", answer, columns);
            out.extend(lines.into_iter().map(|line| styled(line, theme.quiet())));
        }
        Told::Trouble(words) => {
            let lines = words.lines().flat_map(|line| wrap::hanging("! ", line, columns));
            out.extend(lines.map(|line| styled(line, theme.bad())));
        }
    }
}
