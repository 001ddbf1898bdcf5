//! The run of a day: one for everybody, told before it begins.

use base::host_text;

use super::run_start::NewRunStart;
use super::{ExitReason, HostPrompts, Menu, content_loading, host_choice, host_prompt, options};
use crate::daily_seed;
use base::text::{display_value, escape_markup};
use base::{Problem, Value};
use protocol::{Choice, StoryEvent, View};
use session::{complete_and_check_options, daily_option_values, option_specs};

impl Menu {
    /// The entry of the title.
    pub(super) fn daily_choice(&self) -> Choice {
        let day = self.daily_date();
        let reason = self.daily_practice_reason(&day);
        let what = reason.unwrap_or_else(|| host_text!("the same for everybody"));
        let note = match &self.setup.daily_date {
            Some(day) => format!("{day}; {what}"),
            None => what,
        };
        Choice { note, ..host_choice("daily", &self.menu_label("daily")) }
    }

    /// The day that the command line names, or today.
    fn daily_date(&self) -> String {
        self.setup.daily_date.clone().unwrap_or_else(daily_seed::today)
    }

    /// Why the run of a day is practice; `None` if it counts.
    fn daily_practice_reason(&self, day: &str) -> Option<String> {
        let was_played = || self.played_days().iter().any(|of| of == day);
        match () {
            () if was_played() => Some(host_text!("played before, so this is practice")),
            () if daily_seed::is_future_day(day) => {
                Some(host_text!("not begun yet, so this is practice"))
            }
            () if !self.setup.command_line_options.is_empty() => {
                Some(host_text!("with options of your own, so this is practice"))
            }
            () if self.has_enabled_mods() => Some(host_text!("with mods, so this is practice")),
            () if self.setup.is_practice => Some(host_text!("practice, earns nothing")),
            () => None,
        }
    }

    fn has_enabled_mods(&self) -> bool {
        let game = self.profile_lock.profile().game_profile(&self.game_id);
        !(game.enabled_mods.is_empty() && self.setup.enabled_mods.is_empty())
    }

    /// Says what the run of the day is, and plays it if the player begins it.
    pub(super) fn begin_daily_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        self.rescan_mods(host_prompts)?;
        let day = self.daily_date();
        let seed = daily_seed::seed_of_day(&self.game_id, &day);
        let (options, lines) = match self.daily_options(seed) {
            Ok(found) => found,
            Err(problem) => return self.show_problem_and_wait(host_prompts, &problem),
        };
        let reason = self.daily_practice_reason(&day);
        let counts = match &reason {
            Some(reason) => host_text!("This time: {reason}.", reason = reason),
            None => host_text!("It counts once; after that it is practice."),
        };
        let head = host_text!(
            "The run of {day}: the same dice and the same start for everybody, whatever their \
             collection.",
            day = day
        );
        // In the story, where they have room: a question in a small window is cut.
        let lines = [vec![head], lines].concat().into_iter();
        let events: Vec<StoryEvent> = lines.map(|text| StoryEvent::Say { text }).collect();
        host_prompts.frontend.show_events(&events)?;
        let choices = vec![
            host_choice("begin", &host_text!("Begin")),
            host_choice("back", &host_text!("Back to the title")),
        ];
        let view = View { title: self.game_name(), widgets: Vec::new() };
        let prompt = host_prompt("host:daily", &counts, choices);
        if host_prompts.ask_choice(&prompt, &view)?.as_deref() != Some("begin") {
            return Ok(());
        }
        let start = NewRunStart { seed: Some(seed), day: Some(day), is_practice: reason.is_some() };
        self.start_and_play_run(host_prompts, options, start, draw_seed).map(drop)
    }

    /// The options of the run with a day's seed, and those that a player could have chosen, in
    /// words.
    fn daily_options(&mut self, seed: u64) -> Result<(Value, Vec<String>), Problem> {
        let mut values = daily_option_values(&self.registry, seed);
        values.extend(options::values_from_command_line(&self.setup.command_line_options));
        let vm = content_loading::ensure_vm(&mut self.vm, &self.content);
        let options = complete_and_check_options(vm, &values)?;
        let specs = option_specs(&self.registry);
        let told =
            specs.iter().filter(|spec| spec.is_asked_before_run || values.contains_key(&spec.name));
        let lines = told.filter_map(|spec| {
            let value = options.get(&spec.name)?;
            let choices = options::computed_choices(vm, spec, &Value::map(), &options);
            let mut choices = choices.ok().flatten().into_iter().flatten();
            let label = choices.find(|choice| Some(&*choice.id) == value.as_text());
            let name = label.map(|choice| choice.label).unwrap_or_else(|| {
                escape_markup(&spec.option_type.value_name(value).unwrap_or(display_value(value)))
            });
            Some(format!("{}: {name}.", spec.label))
        });
        let lines = lines.collect();
        Ok((options, lines))
    }
}
