//! The list of all codes: the name in Rust, the code, what it means and what to do. A new one is a
//! row here, or joins the row of a code with the same help; `sub-rosa api --write docs/modding`
//! then writes `problems.md` anew.

use super::define_codes;

define_codes! {
    ["While a mod is found and read"]
    AbsentMod "absent-mod":
        "A mod that is on is missing. The game starts without it.",
        "Put it back, or `sub-rosa mods off ID`.";
    BadId "bad-id":
        "An id or name is empty, too long, reserved (`host`, `con`, `aux`, `nul`, `lpt1`) or has \
         other characters than `a-z`, `0-9`, `_`.",
        "Write `salt_clerk`, not `Salt Clerk`.";
    BadSetting "bad-setting":
        "A value or declaration of a setting is wrong.",
        "`[settings.x]` has `type`, `default`, and `min` and `max`, or `values`.";
    MoreMistakes "more-mistakes": "There are more mistakes than shown.", "Fix those first.";
    BadToml "bad-toml": "`mod.toml` is not valid TOML.", "Look for a missing quote or bracket.";
    BadTranslation "bad-translation":
        "A line of a `.po` file cannot be read, its marks differ from the source text's, or the \
         text is a needed mod's.",
        "Write the marks as in `msgid`, in any order; remove texts of others.";
    BadVersion "bad-version":
        "A version or range cannot be read.",
        "Versions: `\"0.1.0\"`. Ranges: `\"0.1\"`, `\"^1.2\"`, `\">=1, <3\"`, `\"*\"`.";
    DeclaresNothing "declares-nothing":
        "A mod has no code.",
        "Add a `.luau` file beside `mod.toml`.";
    FolderExists "folder-exists", IdTaken "id-taken":
        "A new mod's folder or id exists.",
        "Choose another name, or folder: `--into`.";
    IsAGame "is-a-game": "A game was switched on like a mod.", "Start it: `sub-rosa --game ID`.";
    Link "link":
        "A link lies among the mods. Links are not followed.",
        "Copy its target, or name that folder with `--mods`.";
    MissingKey "missing-key": "`mod.toml` lacks a required key.", "Add the line shown.";
    MissingNeed "missing-need":
        "A needed mod is missing.",
        "Add it, fix the id under `needs`, or switch off the mods that need it.";
    ModsConflict "mods-conflict": "A mod's `clashes` lists another that is on.", "Switch one off.";
    ModsInARing "mods-in-a-ring":
        "Mods need, or load after, each other in a circle.",
        "Remove one `needs` or `after`.";
    KeysUnchanged "keys-unchanged":
        "Keys were not changed; the reason is shown.",
        "Choose others, or first bind what would lose its only key.";
    ModsUnchanged "mods-unchanged":
        "Mods were not switched, as they do not work together; the reason is shown.",
        "Fix it, or switch others.";
    NeedIsOff "need-is-off": "A needed mod is off.", "`sub-rosa mods on ID` switches on both.";
    NeededMod "needed-mod":
        "Another mod needs the one to switch off or remove.",
        "Switch off both with the command shown.";
    NoFolder "no-folder": "A `--mods` folder is missing or unreadable.", "Name another.";
    NoGame "no-game":
        "No mod is a game.",
        "Add one with `game = true`, or its folder with `--mods`.";
    NoManifest "no-manifest":
        "A folder or archive has no readable `mod.toml`.",
        "Add one, rename a near miss (`mod.toml.txt`), or move the folder away. A mod one folder \
         deeper belongs here.";
    NoMods "no-mods":
        "A folder has no mods, or nothing can be checked.",
        "Name a mod's folder, or a folder of mods.";
    NoSuchMod "no-such-mod":
        "No mod has that id.",
        "`sub-rosa mods` lists them; `--mods` adds a folder.";
    NoTemplate "no-template": "No template has that name.", "`sub-rosa new` lists them.";
    NotAGame "not-a-game":
        "`--game` names no game, or a mod that is none calls `start`.",
        "Name a game; its `mod.toml` says `game = true`.";
    OlderVersion "older-version":
        "A mod is older than when last played.",
        "Nothing to do: the newer version's changes stay.";
    OtherGame "other-game":
        "A mod is for another game and disabled.",
        "Switch it off, or play that game.";
    PlayerFileNameTaken "player-file-name-taken":
        "A player's name gives another player's file name.",
        "Choose other letters, unless you meant that player.";
    ModIdChanged "mod-id-changed":
        "A mod with definitions in the run has another id now.",
        "Restore the id, or begin another run.";
    TwoGames "two-games": "Two games were loaded together.", "Switch one off.";
    MisplacedManifestKey "misplaced-manifest-key":
        "A key in `mod.toml` is below a header such as `[needs]`, so it belongs to that table.",
        "Move it above the headers.";
    TwoOfOneId "two-of-one-id":
        "Two mods in one place have one id, such as an archive and its folder. Neither is loaded.",
        "Remove one.";
    UnfitSetting "unfit-setting":
        "A player's value no longer fits a setting. It is kept, not used.",
        "`sub-rosa mods set ID NAME VALUE`, or `unset ID NAME`.";
    UnreadFile "unread-file":
        "A file's name is nearly one that is read: `x.LUAU`, `x.luau.txt`, `tests/x.TOML`, \
         `Kinds/`.",
        "Rename or remove it.";
    UnknownKey "unknown-key": "`mod.toml` has an unknown key.", "Fix the spelling.";
    UnknownSetting "unknown-setting":
        "A mod has no such setting.",
        "Declare `[settings.NAME]`; `sub-rosa mods set ID` lists them.";
    Unreadable "unreadable":
        "A file of a mod is unreadable, or no plain file.",
        "Allow reading it, or remove it.";
    Unwatched "unwatched": "The folders of mods cannot be watched.", "Type `reload` after changes.";
    WhichGame "which-game": "There are several games.", "Name one: `--game`.";
    WrongEngine "wrong-engine":
        "A mod is for another version of this program.",
        "Use another version of it, or widen `engine` if it works.";
    WrongVersion "wrong-version":
        "A mod needs a version of another that is missing. Only `*` includes test versions \
         (`0.2.0-beta.1`).",
        "Use other versions, or widen the range under `needs`.";

    ["While a mod is packed, installed or removed",
     "Nothing is changed in these cases. See [a mod as a file](sharing.md)."]
    FileExists "file-exists", InsideItself "inside-itself", AmongMods "among-mods":
        "The archive would replace a file, or be written into the folder that is packed or into a \
         folder of mods.",
        "Choose another place: `--out`.";
    NoSuchFile "no-such-file":
        "That path has nothing to install.",
        "Name a zip or folder of a mod.";
    NotAFolder "not-a-folder":
        "A mod embedded in the program cannot be packed.",
        "It is in every copy of the program.";
    NotAMod "not-a-mod": "A single file of a mod cannot be installed.", "Name its folder.";
    NotInstalled "not-installed", NotPacked "not-packed":
        "The mod does not load; the reason is above.",
        "Fix that, add what it needs, or ask its maker.";
    NotInstalledHere "not-installed-here":
        "Only mods in the data folder are removed.",
        "Remove your own by hand.";
    NotRemoved "not-removed", NotReplaced "not-replaced":
        "The question was not answered with yes.",
        "Answer yes, or use `--yes` (`remove`), `--replace` (`install`).";
    PackedAlready "packed-already": "The mod is an archive already.", "Share that file.";
    SeveralMods "several-mods": "An archive has several mods.", "Unpack it; install each.";
    Stopped "stopped": "The installation was stopped.", "Repeat it any time.";
    ThereAlready "there-already": "The mod is in a folder of mods already.", "Nothing to do.";

    ["While scripts are loaded",
     "Every file runs once, from top to bottom. Only declarations may be called, and what is \
      made then is constant."]
    AssignedGlobal "assigned-global":
        "A name is assigned without `local`.",
        "Write `local`, use `state`, or share it with `export`.";
    BadArgument "bad-argument":
        "An engine function does not take that argument.",
        "See [the reference](reference.md).";
    BadField "bad-field":
        "A field of a kind is declared wrongly.",
        "`name = field.text { columns = 40, doc = \"…\" }`; the options are shown.";
    BadName "bad-name":
        "A file, export, profile or value in `fill` cannot have that name.",
        "Use letters, digits, `_`.";
    BadPatch "bad-patch": "A patch is a list.", "Name the field: `tags = add { \"x\" }`.";
    BadRequire "bad-require":
        "`require` names a file outside `lib/`, of a mod not needed, or in a circle.",
        "`require \"lib/odds\"` or `require \"@mod/lib/odds\"`; the file ends with `return`.";
    Duplicate "duplicate":
        "`start`, an event, or a field of an event or of the state is declared twice.",
        "Keep one. Wrap another mod's scenes and rules; hooks need no declaration.";
    ClosedList "closed-list", NotAList "not-a-list":
        "`extend` names no open list of words.",
        "It needs a `field.one_of { …, open = true }`: `extend \"boat.size\" { \"closet\" }`; the \
         open lists are shown.";
    DuplicateKind "duplicate-kind":
        "Two kinds have one name.",
        "Rename yours; see [the host's kinds](reference.md#kinds-of-the-host).";
    EditOutsidePatch "edit-outside-patch":
        "`add`, `drop` or `wrap` stands in a declaration.",
        "Use `patch.kind \"mod:name\" { … }`.";
    WrapReturnsLess "wrap-returns-less", WrapReturnsNothing "wrap-returns-nothing":
        "A wrap returns fewer results than the wrapped function.",
        "Return all: `return original(…)`.";
    MissingEventField "missing-event-field":
        "`emit` lacks a declared field.",
        "Give it, or declare it `optional = true`.";
    MissingBody "missing-body":
        "Nothing follows the id: `boat \"x\"`.",
        "Add `{ … }`; after a rule or view `(function() … end)`.";
    NameTaken "name-taken":
        "The host, or a mod visible to the same mods, has that kind, export or module.",
        "Rename yours.";
    PowerOperatorUsed "power-operator-used":
        "`^` is used. Its last digits differ between machines.",
        "`x * x`, or a table of values.";
    NotLoading "not-loading":
        "A declaration (`kind`, `patch`, `before` …) is made during play.",
        "Put it at the top of a file.";
    NotPlain "not-plain":
        "A value holds a function, a table as key, itself, an infinite number, an object of the \
         engine or a metatable.",
        "Use booleans, numbers, texts, tables of them, and ids of definitions.";
    NotPlaying "not-playing":
        "A function of play (`state`, `roll`, `say`, `all` …) is called while files load.",
        "Call it in a handler, hook or rule.";
    OutOfFuel "out-of-fuel":
        "Scripts ran too long. The mod that spent most is named.",
        "Look for an endless loop, or work on everything in every step.";
    OutOfMemory "out-of-memory":
        "Scripts or the data they give to the engine take too much memory.",
        "Look for tables or texts that grow in a loop, caught errors, long prompts and views.";
    AchievementsFailed "achievements-failed":
        "Many achievements failed at the end of a run.",
        "Fix those shown. All of a game share the fuel of one step.";
    HiddenName "hidden-name":
        "A local hides a function, module or library in use: `local roll = roll(…)`, then \
         `roll(…)`.",
        "Rename the local.";
    TooFewArguments "too-few-arguments", TooManyArguments "too-many-arguments":
        "A call lacks arguments, or has unused ones.",
        "The signature is shown.";
    MissingTranslation "missing-translation":
        "Texts of a translation are missing or outdated. Their source is shown.",
        "`sub-rosa texts MOD --to FILE` adds them to the file.";
    UnusedTextOverride "unused-text-override":
        "`override_text` has a text that no script has, or a mark that this text lacks.",
        "Copy the script's text; `sub-rosa why \"some words\"` finds it.";
    Syntax "syntax":
        "A script cannot be parsed.",
        "Look for a missing comma, `end` or bracket, also in lines before.";
    TooSlow "too-slow":
        "A call took too many seconds. The journal records it for replays.",
        "Look for work on very long texts or tables.";
    UndeclaredEvent "undeclared-event":
        "No mod declares the emitted event.",
        "Add the line shown under `kinds/`.";
    UnknownEventField "unknown-event-field":
        "An event has no such field.",
        "Fix the spelling, or add a field to it: `event \"blow\" { my_mark = field.bool }`.";
    UnknownStateField "unknown-state-field":
        "No `schema` declares that field of the state.",
        "Fix the spelling, or declare it: `schema \"my_mod\" { … }`.";
    StateWrongValue "state-wrong-value":
        "A field of the state has the wrong type, or a required one is set to nil or missing after a step.",
        "Fix the line, or the `schema`: `optional = true`.";
    EventWrongValue "event-wrong-value":
        "A field of an event has the wrong type. In play, the `before` hook that set it is named.",
        "Set what is expected; `math.floor` makes a whole number.";
    UnknownEvent "unknown-event":
        "A hook is on an event that no mod emits.",
        "Fix the spelling; [the reference](reference.md) lists events.";
    UnknownKind "unknown-kind":
        "No kind has that name, or its mod is not needed.",
        "Fix the spelling, or add the mod under `needs`.";
    NamesNotChecked "names-not-checked":
        "A file has too many unknown names to check all.",
        "Fix those shown.";
    UnknownName "unknown-name":
        "A name does not exist here: misspelt, of a mod not under `needs`, or missing from this \
         Lua.",
        "Use what is shown. Your own names begin with `local`.";
    WrappedBuilder "wrapped-builder":
        "A mod wraps an export that files call while they load, before the wrap.",
        "Patch the definitions that it built.";

    ["Definitions",
     "Every definition is checked against its kind when loading ends."]
    AbsentTarget "absent-target":
        "A patch, replace or retire has no target, or an item to drop is missing.",
        "Fix the id, or write `optional = true` in the body.";
    AlreadyThere "already-there":
        "`add` brings an entry whose name is taken.",
        "Rename it, or change the entry without `add`.";
    BadReference "bad-reference":
        "No definition of that kind has that id.",
        "Your own needs no mod; another's is `harbour:ferry`.";
    MissingReference "missing-reference":
        "A choice's group is not declared.",
        "`group \"ways\" { … }`.";
    BadText "bad-text":
        "A text or file has control or invisible characters.",
        "Remove them; save files as UTF-8.";
    Conflict "conflict":
        "Two independent mods set one field, or one replaces, retires or drops what the other \
         changes.",
        "Use `add` and `wrap`; or `after = [\"other\"]` in one `mod.toml`; or in a third mod \
         `settle_conflict.KIND \"id\" { … }`. A start offers to leave one out.";
    DuplicateId "duplicate-id": "A definition is declared twice.", "Change one id.";
    ForeignId "foreign-id":
        "A definition has another mod's id.",
        "Declare your own, or `patch` or `replace` it.";
    MissingField "missing-field":
        "A required field is missing or dropped.",
        "Add it; see its `doc`.";
    TooDeep "too-deep":
        "Tables, folders, events or calls are nested too deeply.",
        "Look for endless recursion.";
    TooLarge "too-large":
        "A file, mod, text, table or a mod's declarations are too large.",
        "The limit is shown.";
    NoSuchConflict "no-such-conflict":
        "`settle_conflict` names a field without a conflict.",
        "`patch` it, or remove it.";
    UndoneChange "undone-change":
        "A field is set, which discards what another mod added or wrapped.",
        "Use `add` or `wrap`, or allow it with the reason.";
    UnknownField "unknown-field": "A kind has no such field.", "Fix the spelling.";
    WrongType "wrong-type":
        "A field, prompt, view, setting or argument has the wrong type.",
        "Use the expected one. A mark takes texts, numbers, booleans and lists of them; of a \
         table name the field: `{boat.name}`.";
    HookReturnsValue "hook-returns-value":
        "A hook returns something, which is ignored.",
        "Change the event instead.";
    WrongResult "wrong-result":
        "A function's result differs from its signature or kind. Wraps and replacements are \
         checked always, others in [strict mode](lua.md#strict-mode).",
        "Fix the result, or the signature.";

    ["While playing",
     "The step is undone. The player can go on from before it."]
    BadAward "bad-award":
        "`award` cannot pay that: another type, a reserved name, two ways at once.",
        "Give no text where the profile, or the run so far, has a number.";
    BadKey "bad-key":
        "A key in the state is neither text nor the next number of a list.",
        "`t[#t + 1] = x`, or use texts.";
    BadOdds "bad-odds":
        "The cases of odds do not add up to `of`.",
        "Pass on the result of `odds(…)`.";
    BadRoll "bad-roll":
        "Dice cannot be parsed, or have too many results.",
        "`2d6+3`, `d20adv2`, `4d6kh3`, `d{1,2,4}`.";
    BadStream "bad-stream":
        "A dice stream's name is invalid, or another mod's.",
        "`roll(\"d6\", \"loot\")`.";
    TooManyHashCollisions "too-many-hash-collisions":
        "Many keys or texts were chosen to have one hash.",
        "Use names or whole numbers as keys.";
    DeadEnd "dead-end":
        "A prompt has no open choice, or asks for more than it has.",
        "Leave one open; `min` is at most `max` and the open choices.";
    EmptyList "empty-list": "`pick` has an empty list, or only weights of 0.", "Test that first.";
    EventChangedType "event-changed-type":
        "A `before` hook removes a value of an event or changes its type.",
        "Change values only.";
    Finished "finished", FinishedTwice "finished-twice":
        "A run that has ended asks, is answered, or calls `finish` again.",
        "Ask before `finish`, and return after it.";
    FrozenTable "frozen-table":
        "A constant table is changed: made while loading, a definition, an input, an event in an \
         `after` hook.",
        "Use `state`, or a copy: `table.clone(t)`.";
    KeptInALocal "kept-in-a-local":
        "A function assigns to a local of its file, or keeps an iterator made while loading. \
         Saves lack it.",
        "Use `state`; make iterators where used. Called only while loading: `-- \
         allow(kept-in-a-local): reason`.";
    HookSceneReplaced "hook-scene-replaced":
        "An `after` hook opened a scene with `push` or `go`, then other code went elsewhere.",
        "`ask \"scene\"` asks it after the step.";
    MissingHandler "missing-handler":
        "A scene has no handler for a choice.",
        "`on = { id = function(input) … end }`, or the choice's `on`.";
    NoOpenRoll "no-open-roll":
        "The roll to change is not open any more, or never was.",
        "Roll with `{ open = true }`; forget `parts.open` after `tell_roll`.";
    NoScene "no-scene", NoSceneBelow "no-scene-below":
        "No scene is open, or `pop` has none below.",
        "Use `go`.";
    NoStart "no-start":
        "The game has no `start`.",
        "`start(function(options) … go \"scene\" end)`.";
    SideEffect "side-effect":
        "A prompt, view, rule, `before` hook or lint writes, rolls or prints.",
        "Do it in a handler or `after` hook; `odds` gives chances.";
    ReadOnly "read-only": "The profile or an option is written to.", "`award { … }` pays into it at the end.";
    ScriptError "script-error":
        "Something was nil, or `error` was called.",
        "Look before the dot, bracket or call.";
    StaleTable "stale-table":
        "A table that was removed from the state is used.",
        "Read it from `state` again.";
    TableTooLarge "table-too-large", TextTooLong "text-too-long":
        "A table or text that the library or `..` works on is too large.",
        "Work on parts.";
    TooMany "too-many", TooManyScenes "too-many-scenes", TooMuchOutput "too-much-output":
        "Too many choices, hooks, events, dice, scenes or printed lines.",
        "The limit is shown. Look for a loop; `pop` what you push.";
    UnfilledMark "unfilled-mark":
        "A mark `{name}` of a text has no value.",
        "Give it beside the text. A plain brace is `\\\\{` in Lua.";
    UnknownBot "unknown-bot": "No bot has that name.", "`random` always exists.";
    AmbiguousFactName "ambiguous-fact-name":
        "A bot lists equally named facts of two mods.",
        "Remove one, or declare it under another name.";
    UnknownPage "unknown-page",
    UnknownScene "unknown-scene",
    UnknownStage "unknown-stage",
    UnknownView "unknown-view":
        "Nothing of that kind has that id.",
        "Fix the spelling; its mod may be off.";
    UnknownRule "unknown-rule": "No rule has that name.", "Another mod's is `rules[\"mod:x\"]`.";
    UnorderedKeys "unordered-keys":
        "A loop walks keys that are tables or functions, which have no fixed order.",
        "Use ids as keys, or a list.";
    WeakTable "weak-table":
        "A metatable has `__mode`, which makes its table weak.",
        "Remove it: nothing may depend on when memory is freed.";

    ["Found by `check` alone",
     "These stop nothing. Suppress a wrong warning on its line or the line above, with the reason: \
      `-- allow(code): why`. Where no line can carry that, as in a long text, `mod.toml` can:\n\
      \n\
      ```toml\n\
      [allow.\"words/long.luau\"]\n\
      long-line = \"it is a quotation, and its lines are its own\"\n\
      ```"]
    DuplicateKey "duplicate-key":
        "A table has one key twice; one value is lost.",
        "Remove one, or rename its key.";
    UnusedSuppression "unused-suppression":
        "An `-- allow(code)`, or a line under `[allow]`, suppresses nothing. Errors cannot be \
         suppressed.",
        "Remove it.";
    Lint "lint": "A check of the game found something.", "Its message says what.";
    LongLine "long-line":
        "A text exceeds 80 columns: a field with `columns`, or a choice's label, note or cost.",
        "Shorten it.";
    NoSuchDefinition "no-such-definition":
        "`why` found nothing of that name.",
        "Fix the spelling; `--with` adds a mod that is off.";
    SuppressionWithoutReason "suppression-without-reason":
        "An `-- allow(code)` has no reason.",
        "Write it after a colon.";
    UnreadScript "unread-script":
        "`check` cannot read a script's syntax, and skipped it.",
        "Write that line in an older way.";
    UnusedDefinition "unused-definition":
        "No field, script or `all` uses a definition.",
        "Use or remove it.";

    ["Answers, options and the command line"]
    AtTheStart "at-the-start": "There is nothing to undo.", "Go on.";
    BadAnswer "bad-answer", BadOption "bad-option":
        "An answer, a program's answer or an option's value does not fit.",
        "What fits is shown.";
    Counts "counts": "A run that counts has no undo.", "`--practice` has, and earns nothing.";
    KeyConflict "key-conflict": "One key has two actions; it does the first.", "Change one.";
    NoDataFolder "no-data-folder": "The system has no folder for data.", "Use `--data`.";
    NoKeys "no-keys":
        "The file of keys is unreadable; default keys are used.",
        "Check its rights and its TOML.";
    NoRunHere "no-run-here": "The console needs a run that asks something.", "Begin one.";
    NoScript "no-script":
        "The `--script` file is unreadable.",
        "Name a file with one answer per line.";
    NotAccepted "not-accepted":
        "In a replay, a recorded answer does not fit.",
        "Use the content it was made with.";
    RunOver "run-over": "A finished run cannot be played on.", "Go back to an earlier step.";
    StalePrompt "stale-prompt": "The answered prompt is not asked any more.", "Ask for it again.";
    UnknownAction "unknown-action", UnknownOption "unknown-option":
        "The file of keys has an unknown action, or nobody declares the option.",
        "Fix the spelling.";

    ["Saves, runs and profiles",
     "Nothing is deleted. What cannot be used is named and kept."]
    BadSnapshot "bad-snapshot": "A saved state cannot be read.", "Go back to an earlier step.";
    BadStore "bad-store", ContentDamaged "content-damaged", ContentMissing "content-missing":
        "A run's stored content is damaged or gone.",
        "Restore the data folder's `content/`, or the old mods.";
    CheckpointDamaged "checkpoint-damaged",
    CheckpointForeign "checkpoint-foreign",
    CheckpointPassedOver "checkpoint-passed-over":
        "A checkpoint is damaged, of another journal, or unusable; the reason is shown.",
        "Nothing is lost: the run is read from its journal.";
    ContentChanged "content-changed":
        "The mods changed since the player left a run. It goes on with the new ones.",
        "Nothing to do.";
    ContentFound "content-found":
        "Content was missing or damaged; a copy in the program or the mod's folder is used. A \
         damaged file is kept.",
        "Nothing to do.";
    ContentKept "content-kept":
        "A run cannot go on with changed mods. It uses the old ones.",
        "Fix the error shown with it.";
    DiskDenied "disk-denied": "The system refuses access.", "Change the rights, or use `--data`.";
    DiskError "disk-error": "The disk reported an error.", "Check it; all that was shown is saved.";
    DiskFull "disk-full": "The disk is full.", "Make room; all that was shown is saved.";
    DiskMissing "disk-missing":
        "A folder or file is gone.",
        "Look where it moved, or use `--data`.";
    Diverged "diverged":
        "A replay's result differs; line and step are named.",
        "If program and mods are the same, a script keeps data between steps, or the program has a \
         bug: report it with the run's folder.";
    EndedProgram "ended-program":
        "An answer crashed the program twice, and you chose to refuse it.",
        "Report it with the run's folder.";
    EntryTooLarge "entry-too-large":
        "A step is too large for the journal.",
        "Look for code that prints or stores very much.";
    AwardRefused "award-refused":
        "A finished run's award does not fit into the profile. The run counts.",
        "Award less: a game keeps at most 1 MiB.";
    InUse "in-use":
        "Another program has this profile or run open.",
        "Close it; after a crash, try again.";
    JournalDamaged "journal-damaged":
        "A journal line was changed or lost. The file is kept.",
        "Take the last good step, which is offered.";
    JournalFull "journal-full": "A run has no room for another step.", "Watch it, or give it up.";
    JournalMisplaced "journal-misplaced": "A journal is in another run's folder.", "Move it back.";
    NoRun "no-run":
        "No such run or file exists.",
        "Take an id from the past runs, or name the journal.";
    NoJournal "no-journal":
        "A run that is not saved cannot go back or be forked.",
        "Save runs: `--data`.";
    NotAFile "not-a-file":
        "A link, folder or pipe is where a file belongs.",
        "Put the file there. Folders may be links.";
    NoSuchStep "no-such-step": "A run has no such step yet.", "Name an earlier one.";
    NoCheckpointAfterDamage "no-checkpoint-after-damage":
        "A run cannot be continued after its damage: no later checkpoint is intact.",
        "Repair the run up to the last good line.";
    EngineBug "engine-bug":
        "The program failed on a file and left it unchanged.",
        "Report it with the message.";
    ProfileDamaged "profile-damaged":
        "A profile is unreadable, or was changed. The previous one is used.",
        "If you edited it, delete its last line and change `format = 2` to `format = 1`.";
    ProfileNewer "profile-newer": "A newer program wrote this profile.", "Use that program.";
    ProfileTooLarge "profile-too-large", TooManyRuns "too-many-runs":
        "A profile is full, or has no more run numbers.",
        "Play under another name, and tell the game's maker.";
    RunRenamed "run-renamed":
        "A folder in `runs/` has another name than its run, so no list shows it.",
        "Rename it as shown, or move a copy elsewhere.";
    TooManyDamaged "too-many-damaged":
        "A file has ten thousand damaged copies.",
        "Check the disk; move them away.";
    TornLine "torn-line":
        "A journal's last line is incomplete, as after a loss of power.",
        "Nothing that was shown is lost.";
    UnfinishedRun "unfinished-run":
        "Another run of this game is not over.",
        "Go on with it or give it up.";
    Unknown "unknown": "Something failed without a message.", "Report it with the run's folder.";

    ["While runs are simulated, explored and tested"]
    AnswersLeft "answers-left",
    WrongOutcome "wrong-outcome",
    CaseCheckFailed "case-check-failed",
    TextNotTold "text-not-told":
        "A case differs: in its outcome, an expected text, a check at that line, or answers that \
         are left.",
        "Fix what changed, or the case.";
    AsksNothing "asks-nothing": "A case checks nothing.", "Use `equals`, `holds` or `refuses`.";
    BadCase "bad-case": "A file in `tests/` is no valid case.", "`simulate --record` writes some.";
    BadPart "bad-part",
    NotOneSimulation "not-one-simulation",
    PartTwice "part-twice",
    NoParts "no-parts":
        "A part for `simulate --merge` is missing, invalid, given twice, or of another simulation.",
        "Use each part once, all with the same program, mods and options. `simulate --shard K/N` \
         makes one again.";
    BadRange "bad-range": "An option's range is empty or too long.", "`1..5`.";
    RebuildDiverges "rebuild-diverges":
        "A case differs when the VM is rebuilt on the way.",
        "Look for data outside `state`.";
    NoChanges "no-changes":
        "Nothing of that name can be mutated.",
        "Name the beginning of a path, or a row of scripts or ledger.";
    NoEnd "no-end":
        "A run did not end after very many steps.",
        "Play its script by hand; look for a loop.";
    NoLedger "no-ledger":
        "A ledger is unreadable, or has no row.",
        "Rows begin with an id such as SR-3.5; columns are `id`, `done by`, `shown by`.";
    NoProblem "no-problem": "A case expected a refusal.", "Remove `problem`.";
    NoRevision "no-revision":
        "git does not know that revision.",
        "Name one of the mod's repository.";
    NoRow "no-row", RowWithoutCases "row-without-cases":
        "A case has no ledger row, or a row no case.",
        "Begin the case's name with the row's id, or name in the row what else shows it.";
    NoSuchBot "no-such-bot": "No bot has that name.", "They are listed; `random` always exists.";
    NotComparable "not-comparable":
        "Two sets of mods have different options.",
        "Set those with `--set`.";
    UnknownFunction "unknown-function":
        "A ledger row names a function that its file lacks.",
        "Name it as the file does: `mutate` finds a row's changes by it.";
    OutdatedLedgerCounts "outdated-ledger-counts":
        "A ledger counts rules that changed since.",
        "Count again with the command shown.";
    WrongCaseFiles "wrong-case-files":
        "A row names the wrong files of cases.",
        "Under `shown by` name its cases' files below `tests/`.";
    NotWritten "not-written": "A file cannot be written.", "Name another folder.";
    TranscriptDiffers "transcript-differs":
        "A transcript differs from the accepted one.",
        "Fix what changed, or `sub-rosa test --accept`.";
    TooManyGroups "too-many-groups":
        "Lists and ranges of options make too many groups.",
        "Set fewer.";

}
