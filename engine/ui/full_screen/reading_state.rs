//! How a new story and its question share the screen.

/// How a new story and its question share the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ReadingState {
    /// The prompt was not drawn yet.
    #[default]
    Undecided,
    /// The story has the screen alone; its question would leave it so many rows.
    StoryAlone { rows_beside_question: usize },
    /// The question opened after the story was read.
    ReadFirst,
    /// Both are shown together.
    Together,
}
