//! The list of all codes: the name in Rust, the code, what it means and what to do. A new one is a row
//! here; `sub-rosa api --write docs/modding` then writes `problems.md` anew.

use super::define_codes;

define_codes! {
    ["While a mod is found and read"]
    AbsentMod "absent-mod":
        "A mod that is on is gone. The game starts without it.",
        "Put it back, or `sub-rosa mods off ID`.";
    BadId "bad-id":
        "An id or a name is empty, too long, reserved (`host`, `con`, `aux`, `nul`, `lpt1`), or \
         has more than `a-z`, `0-9` and `_`.",
        "Write `salt_clerk`, not `Salt Clerk`.";
    BadSetting "bad-setting":
        "A value or a declaration of a setting is wrong.",
        "`[settings.x]` has `type`, `default`, and `min` and `max`, or `values`.";
    MoreMistakes "more-mistakes": "There are more mistakes than are shown.", "Fix those first.";
    BadToml "bad-toml": "`mod.toml` is not valid TOML.", "Look for a missing quote or bracket.";
    BadVersion "bad-version":
        "A version or a range cannot be read.",
        "Versions are `\"0.1.0\"`; ranges `\"0.1\"`, `\"^1.2\"`, `\">=1, <3\"` or `\"*\"`.";
    DeclaresNothing "declares-nothing":
        "A mod has no code.",
        "Put a file that ends in `.luau` beside its `mod.toml`.";
    FolderExists "folder-exists":
        "The folder for a new mod exists already.",
        "Choose another name, or folder: `--into`.";
    IdTaken "id-taken": "A new mod has the id of another.", "Choose another.";
    IsAGame "is-a-game":
        "A game was switched on like a mod.",
        "Games are always offered: `sub-rosa --game ID`.";
    Link "link":
        "A link lies among the mods. Links are not followed.",
        "Copy what it leads to, or name that folder with `--mods`.";
    MissingKey "missing-key": "`mod.toml` lacks a required key.", "Add the line that is shown.";
    MissingNeed "missing-need":
        "A mod needs one that is not there.",
        "Add it, fix the id under `needs`, or switch off those that need it.";
    ModsConflict "mods-conflict":
        "A mod lists another that is on under `clashes`.",
        "Switch one off.";
    ModsInARing "mods-in-a-ring":
        "Mods need, or come after, each other in a circle.",
        "Take one step out of its `mod.toml`, such as an `after`.";
    KeysUnchanged "keys-unchanged":
        "Keys were not changed; the reason is beside it.",
        "Choose others, or first give what would lose its only key another.";
    ModsUnchanged "mods-unchanged":
        "Mods were not switched, as they cannot be played together; the reason is beside it.",
        "Fix it, or switch others.";
    NeedIsOff "need-is-off":
        "A mod needs one that is off.",
        "`sub-rosa mods on ID` switches on both.";
    NeededMod "needed-mod":
        "Another mod needs the one to switch off or remove.",
        "Switch off both with the command that is shown.";
    NoFolder "no-folder": "A folder of `--mods` is missing or unreadable.", "Name another.";
    NoGame "no-game":
        "No mod is a game.",
        "Add one with `game = true`, or its folder with `--mods`.";
    NoManifest "no-manifest":
        "A folder or an archive has no readable `mod.toml`.",
        "Add one, rename a near miss (`mod.toml.txt`), or move the folder away. If the mod lies a \
         folder deeper, put that one here.";
    NoMods "no-mods":
        "A folder has no mods, or there is nothing to check.",
        "Name a mod's folder, or a folder of such.";
    NoSuchMod "no-such-mod":
        "No mod has that id.",
        "`sub-rosa mods` lists them; `--mods` adds a folder.";
    NoTemplate "no-template": "No template has that name.", "`sub-rosa new` lists them.";
    NotAGame "not-a-game":
        "`--game` names no game, or a mod that is none calls `start`.",
        "Name a game; in `mod.toml` it says `game = true`.";
    OlderVersion "older-version":
        "A mod is older than when it was last played.",
        "Nothing to do: what the newer one changed stays.";
    OtherGame "other-game":
        "A mod is for another game. It is disabled.",
        "Switch it off, or play that game.";
    PlayerFileNameTaken "player-file-name-taken":
        "A name is the file name of another player.",
        "Choose one with other letters, unless that player was meant.";
    ModIdChanged "mod-id-changed":
        "A mod's id changed since a run began that has its definitions.",
        "Give it back its id, or begin another run.";
    TwoGames "two-games": "Two games were loaded together.", "Switch one off.";
    MisplacedManifestKey "misplaced-manifest-key":
        "A key of `mod.toml` stands below a head such as `[needs]` and counts as that table's.",
        "Move the heads to the end.";
    TwoOfOneId "two-of-one-id":
        "Two mods in one place have one id, such as an archive and its folder. Neither is loaded.",
        "Remove one.";
    UnfitSetting "unfit-setting":
        "A player's value no longer fits a setting. It is kept and not used.",
        "`sub-rosa mods set ID NAME VALUE`, or `unset ID NAME`.";
    UnreadFile "unread-file":
        "A file is named almost like one that is read: `x.LUAU`, `x.luau.txt`, `tests/x.TOML`, \
         `Kinds/`.",
        "Rename it, or remove it.";
    UnknownKey "unknown-key": "`mod.toml` has an unknown key.", "Fix the spelling.";
    UnknownSetting "unknown-setting":
        "A mod has no setting of that name.",
        "Declare `[settings.NAME]`; `sub-rosa mods set ID` lists those it has.";
    Unreadable "unreadable":
        "A file of a mod cannot be read, or is no plain file.",
        "Allow reading it, or take it out.";
    Unwatched "unwatched": "The mods' folders cannot be watched.", "Type `reload` after a change.";
    WhichGame "which-game": "There are several games.", "Name one: `--game`.";
    WrongEngine "wrong-engine":
        "A mod is for another version of this program.",
        "Take another version, or widen `engine` if it works all the same.";
    WrongVersion "wrong-version":
        "A mod needs a version of another that is not there. Only `*` includes test versions \
         (`0.2.0-beta.1`).",
        "Take other versions, or widen the range under `needs`.";

    ["While a mod is packed, installed or removed",
     "Nothing is changed in these cases. See [a mod as a file](sharing.md)."]
    FileExists "file-exists":
        "A file is where the archive would go.",
        "Move it, or choose another with `--out`.";
    InsideItself "inside-itself":
        "The archive would go into the folder that is packed.",
        "Choose another place: `--out`.";
    AmongMods "among-mods":
        "The archive would lie among the mods, beside its folder; neither would be loaded.",
        "Choose another place: `--out`.";
    NoSuchFile "no-such-file":
        "There is nothing to install at that path.",
        "Name a zip with a mod in it, or a mod's folder.";
    NotAFolder "not-a-folder":
        "A mod of the program itself cannot be packed.",
        "Everybody has it.";
    NotAMod "not-a-mod": "A single file of a mod cannot be installed.", "Name its folder.";
    NotInstalled "not-installed":
        "The mod does not load; the reason is above it.",
        "Install what it needs first, or ask its maker.";
    NotInstalledHere "not-installed-here":
        "Only mods in the data folder are removed.",
        "Remove it by hand, if it is yours.";
    NotPacked "not-packed": "The mod does not load; the reason is above it.", "Fix it first.";
    NotRemoved "not-removed": "Nobody confirmed the removal.", "Answer yes, or give `--yes`.";
    NotReplaced "not-replaced":
        "Nobody confirmed the replacement.",
        "Answer yes, or give `--replace`.";
    PackedAlready "packed-already": "The mod is an archive already.", "Give that file away.";
    SeveralMods "several-mods": "An archive has several mods.", "Unpack it and install each.";
    Stopped "stopped": "The installation was stopped.", "Repeat it when you like.";
    ThereAlready "there-already": "The mod lies where mods are found already.", "Nothing to do.";

    ["While scripts are loaded",
     "Every file runs once, from top to bottom. Only declarations may be called, and what is \
      made then is constant."]
    AssignedGlobal "assigned-global":
        "A name is assigned without `local`.",
        "Write `local`, keep it in `state`, or share it with `export`.";
    BadArgument "bad-argument":
        "A function of the host does not take that argument.",
        "See [the reference](reference.md).";
    BadField "bad-field":
        "A field of a kind is declared wrongly.",
        "`name = field.text { columns = 40, doc = \"…\" }`; the options are shown.";
    BadName "bad-name":
        "A file, an export, a profile or a value in `fill` cannot be named so.",
        "Use letters, digits and `_`.";
    BadPatch "bad-patch": "A patch is a list.", "Name the field: `tags = add { \"x\" }`.";
    BadRequire "bad-require":
        "`require` names a file outside `lib/`, of a mod that is not needed, or in a circle.",
        "`require \"lib/odds\"` or `require \"@mod/lib/odds\"`; the file ends with `return`.";
    Duplicate "duplicate":
        "`start`, an event, or a field of an event or of the state is declared twice.",
        "Keep one. A mod wraps scenes and rules; its hooks need no declaration.";
    ClosedList "closed-list":
        "`extend` adds to a list of words that is not open.",
        "Its mod writes `open = true`; the open lists are shown.";
    NotAList "not-a-list":
        "`extend` names a field that is no list of words.",
        "Name a `field.one_of`: `extend \"boat.size\" { \"closet\" }`.";
    DuplicateKind "duplicate-kind":
        "Two kinds have one name.",
        "Choose another; see [the host's kinds](reference.md#kinds-of-the-host).";
    EditOutsidePatch "edit-outside-patch":
        "`add`, `drop` or `wrap` stands in a declaration.",
        "Use it in `patch.kind \"mod:name\" { … }`.";
    WrapReturnsLess "wrap-returns-less":
        "A wrap returns fewer results than the wrapped function.",
        "Return all: `local least, most = original(…)`, `return least, most`.";
    WrapReturnsNothing "wrap-returns-nothing":
        "A wrap returns nothing, unlike the wrapped function.",
        "`return original(…)`.";
    MissingEventField "missing-event-field":
        "An event is emitted without a declared field.",
        "Give it, or declare it `optional = true`.";
    MissingBody "missing-body":
        "Nothing follows the id: `boat \"x\"`.",
        "Add `{ … }`; for a rule or a view `(function() … end)`.";
    NameTaken "name-taken":
        "The host, or a mod that the same mods see, has that kind, export or module.",
        "Choose another name.";
    PowerOperatorUsed "power-operator-used":
        "`^` is used. Its last digits differ between machines.",
        "`x * x`, or a table of values.";
    NotLoading "not-loading":
        "A declaration (`kind`, `patch`, `before` …) is made during play.",
        "Put it at the top of a file.";
    NotPlain "not-plain":
        "A value holds a function, a table as key, a circle, an infinite number, a value of the \
         host or a metatable.",
        "Use booleans, numbers, texts and tables of them; keep ids instead of definitions.";
    NotPlaying "not-playing":
        "A function of play (`state`, `roll`, `say`, `all` …) is called while files load.",
        "Call it in a handler, a hook or a rule.";
    OutOfFuel "out-of-fuel":
        "Scripts ran too long. The largest spender is named.",
        "Look for an endless loop, or for work on everything in every step.";
    OutOfMemory "out-of-memory":
        "Scripts need, or the host must keep, too much memory.",
        "Look for tables or texts that grow in a loop, caught errors, and long prompts and views.";
    AchievementsFailed "achievements-failed":
        "Many achievements failed at the end of a run.",
        "Fix those that are shown. All of a game share the fuel of one step.";
    HiddenName "hidden-name":
        "A local hides a function, module or library that is used: `local roll = roll(…)`, then \
         `roll(…)`.",
        "Rename the local.";
    TooFewArguments "too-few-arguments": "A call lacks arguments.", "The signature is shown.";
    UnusedTextOverride "unused-text-override":
        "`override_text` has a text that nobody tells, or a mark that it lacks.",
        "Copy the text of the script; `sub-rosa why \"some words\"` finds it.";
    TooManyArguments "too-many-arguments":
        "A call has more arguments than are used.",
        "Take them out.";
    Syntax "syntax":
        "A script cannot be parsed.",
        "Look for a missing comma, `end` or bracket, also in the line before.";
    TooSlow "too-slow":
        "A call took too long by the clock. The journal records it, so that a replay agrees.",
        "Look for work on very long texts or tables.";
    UndeclaredEvent "undeclared-event":
        "An event is emitted that nobody declares.",
        "Add the line that is shown under `kinds/`.";
    UnknownEventField "unknown-event-field":
        "An event has no such field.",
        "Fix the spelling, or add a mark of your own to a game's event: `event \"blow\" { my_mark \
         = field.bool }`.";
    UnknownStateField "unknown-state-field":
        "No `schema` declares that field of the state.",
        "Fix the spelling, or declare it: `schema \"my_mod\" { … }`.";
    StateWrongValue "state-wrong-value":
        "A field of the state has the wrong type, or a required one is set to nil or missing after a step.",
        "Fix the line, or the `schema`: `optional = true`.";
    EventWrongValue "event-wrong-value":
        "A field of an event has the wrong type. In play the `before` hook that set it is named.",
        "Give what is expected; `math.floor` makes a whole number.";
    UnknownEvent "unknown-event":
        "A hook is on an event that nobody emits.",
        "Fix the spelling; [the reference](reference.md) lists all events.";
    UnknownKind "unknown-kind":
        "No kind has that name, or its mod is not needed.",
        "Fix the spelling, or add the mod under `needs`.";
    NamesNotChecked "names-not-checked":
        "A file has too many unknown names to check them all.",
        "Fix those that are shown.";
    UnknownName "unknown-name":
        "A name does not exist here: misspelt, of a mod that is not under `needs`, or left out of \
         this Lua.",
        "Use what is shown. Your own names begin with `local`.";
    WrappedBuilder "wrapped-builder":
        "A wrapped export is called while files load, also before the wrap.",
        "Patch the definitions that it built.";

    ["Definitions",
     "Every definition is checked against its kind when loading ends."]
    AbsentTarget "absent-target":
        "A patch, replace or retire has no target, or an item to drop is not there.",
        "Fix the id, or write `optional = true` in the body.";
    AlreadyThere "already-there":
        "`add` brings an entry whose name is taken.",
        "Rename it, or change the entry without `add`.";
    BadReference "bad-reference":
        "No definition of that kind has that id.",
        "Without a mod it is your own; another's is `harbour:ferry`.";
    MissingReference "missing-reference":
        "A choice names a group that is not declared.",
        "Declare it: `group \"ways\" { … }`.";
    BadText "bad-text":
        "A text or a file has control or invisible characters.",
        "Take them out; save files as UTF-8.";
    Conflict "conflict":
        "Two mods that do not know each other set one field, or one replaces, retires or drops \
         what the other changes.",
        "Use `add` and `wrap`; or `after = [\"other\"]` in one `mod.toml`; or a third mod decides: \
         `settle_conflict.KIND \"id\" { … }`. A start offers to leave one out.";
    DuplicateId "duplicate-id": "A definition is declared twice.", "Change one id.";
    ForeignId "foreign-id":
        "A definition has another mod's id.",
        "Declare your own, or `patch` or `replace` it.";
    MissingField "missing-field":
        "A required field is missing or dropped.",
        "Add it; its `doc` says what it is for.";
    TooDeep "too-deep":
        "Tables, folders, events or calls are nested too deeply.",
        "Look for endless recursion.";
    TooLarge "too-large":
        "A file, a mod, a text, a table or a mod's declarations are too large.",
        "The limit is shown.";
    NoSuchConflict "no-such-conflict":
        "`settle_conflict` names a field without a conflict.",
        "`patch` it, or take it out.";
    UndoneChange "undone-change":
        "A set discards what another mod added or wrapped.",
        "Use `add` or `wrap`, or allow it with the reason.";
    UnknownField "unknown-field": "A kind has no such field.", "Fix the spelling.";
    WrongType "wrong-type":
        "A field, a prompt, a view, a setting or an argument has the wrong type.",
        "Give what is expected. A mark takes texts, numbers, booleans and lists of them; of a \
         table name the field: `{boat.name}`.";
    HookReturnsValue "hook-returns-value":
        "A hook returns something, which is ignored.",
        "Change the event instead.";
    WrongResult "wrong-result":
        "A function returned another type than its signature or kind says. Wraps and replacements \
         are checked in every run, the rest in `test`, `explore` and with `--dev`.",
        "Fix the result, or the signature.";

    ["While playing",
     "The step is undone. The player can go on from before it."]
    BadAward "bad-award":
        "`award` is given something that cannot be paid.",
        "Numbers add, lists append, tables merge, the rest is set. No text where the profile, or \
         the run so far, has a number.";
    BadKey "bad-key":
        "A key in the state is no text and not the next number of a list.",
        "`t[#t + 1] = x`, or use texts.";
    BadOdds "bad-odds": "The cases of odds do not add up to `of`.", "Pass on what `odds(…)` gave.";
    BadRoll "bad-roll":
        "Dice cannot be parsed, or have too many results.",
        "`2d6+3`, `d20adv2`, `4d6kh3`, `d{1,2,4}`.";
    BadStream "bad-stream":
        "A stream of dice has no valid name, or another mod's.",
        "`roll(\"d6\", \"loot\")`.";
    TooManyHashCollisions "too-many-hash-collisions":
        "Many keys or texts have one hash, which does not happen by chance.",
        "Use names or whole numbers as keys.";
    DeadEnd "dead-end":
        "A prompt has no open choice, or asks for more than it has.",
        "Leave one open; `min` is at most `max` and the number of open choices.";
    EmptyList "empty-list": "`pick` has an empty list, or only weights of 0.", "Test that first.";
    EventChangedType "event-changed-type":
        "A `before` hook removes a value of an event or changes its type.",
        "Change values only.";
    Finished "finished":
        "A run that has ended is asked, or asks, something.",
        "Ask before `finish`.";
    FinishedTwice "finished-twice": "`finish` is called twice.", "Return after it.";
    FrozenTable "frozen-table":
        "A constant table is changed: one made while loading, a definition, an input, an event in \
         an `after` hook.",
        "Use `state`, or a copy: `table.clone(t)`.";
    KeptInALocal "kept-in-a-local":
        "A function assigns to a local of its file, or keeps an iterator made while loading. No \
         save has it.",
        "Use `state`, and make iterators where they are used. If only loading calls it: `-- \
         allow(kept-in-a-local): called only while loading`.";
    HookSceneReplaced "hook-scene-replaced":
        "An `after` hook opened a scene with `push` or `go`, and other code then went elsewhere.",
        "`ask \"scene\"` asks it after the step.";
    MissingHandler "missing-handler":
        "A scene has no handler for a choice.",
        "`on = { id = function(input) … end }`, or the choice's `on`.";
    NoOpenRoll "no-open-roll":
        "A roll is changed that is not open any more, or never was.",
        "Make it with `{ open = true }`; forget `parts.open` after `tell_roll`.";
    NoScene "no-scene": "No scene was opened, or the last was left.", "`go` somewhere.";
    NoSceneBelow "no-scene-below": "`pop` has no scene below.", "Use `go`.";
    NoStart "no-start":
        "The game has no `start`.",
        "`start(function(options) … go \"scene\" end)`.";
    SideEffect "side-effect":
        "A prompt, a view, a rule, a `before` hook or a lint writes, rolls or tells something.",
        "Do it in a handler or an `after` hook; `odds` gives chances.";
    ReadOnly "read-only": "The profile is written to.", "`award { … }` pays into it at the end.";
    ScriptError "script-error":
        "Something was nil, or `error` was called.",
        "Look at what stands before the dot, the bracket or the call.";
    StaleTable "stale-table":
        "A table is used that was taken out of the state.",
        "Read it from `state` again.";
    TableTooLarge "table-too-large":
        "A table of the library is too large.",
        "Work on parts of it.";
    TextTooLong "text-too-long":
        "A text of the library or of `..` is too long.",
        "Work on parts of it.";
    TooMany "too-many":
        "There are too many choices, hooks, events or dice.",
        "The limit is shown.";
    TooManyScenes "too-many-scenes": "Scenes are pushed and never popped.", "`pop`, or use `go`.";
    TooMuchOutput "too-much-output": "A step tells too much.", "Look for a loop.";
    UnfilledMark "unfilled-mark":
        "A mark `{name}` of a text has no value.",
        "Give it beside the text. A plain brace is `\\\\{` in Lua.";
    UnknownBot "unknown-bot": "No bot has that name.", "`random` always exists.";
    AmbiguousFactName "ambiguous-fact-name":
        "A bot names facts of two mods with one name.",
        "Leave one out, or declare it under another name.";
    UnknownPage "unknown-page": "No page has that id.", "Fix the spelling.";
    UnknownRule "unknown-rule": "No rule has that name.", "Another mod's is `rules[\"mod:x\"]`.";
    UnknownScene "unknown-scene": "No scene has that id.", "Fix the spelling; its mod may be off.";
    UnknownStage "unknown-stage": "No stage has that id.", "Fix the spelling.";
    UnknownView "unknown-view": "No view has that id.", "Fix the spelling.";
    UnorderedKeys "unordered-keys":
        "A loop walks keys that are tables or functions, which have no fixed order.",
        "Use ids as keys, or a list.";
    WeakTable "weak-table":
        "A table was made weak.",
        "Take `__mode` out: nothing may depend on when memory is freed.";

    ["Found by `check` alone",
     "These stop nothing. A wrong warning is suppressed on its line, or on the line above, with \
      the reason: `-- allow(code): why`. Where no line can carry that (inside a long text, in a \
      generated file), `mod.toml` can, by file and code:\n\
      \n\
      ```toml\n\
      [allow.\"words/long.luau\"]\n\
      long-line = \"it is a quotation, and its lines are its own\"\n\
      ```"]
    DuplicateKey "duplicate-key":
        "A table has one key twice, so one of the two values is lost.",
        "Remove one, or rename its key.";
    UnusedSuppression "unused-suppression":
        "An `-- allow(code)`, or a line under `[allow]`, suppresses nothing.",
        "Take it out. Errors cannot be suppressed.";
    Lint "lint": "A check of the game's own found something.", "Its message says what.";
    LongLine "long-line":
        "A text does not fit on a line of 80 columns: a field with `columns`, or a label, note or \
         cost of a choice.",
        "Shorten it.";
    NoSuchDefinition "no-such-definition":
        "`why` found nothing of that name.",
        "Fix the spelling; `--with` adds a mod that is off.";
    SuppressionWithoutReason "suppression-without-reason":
        "An `-- allow(code)` has no reason.",
        "Write it after a colon.";
    UnreadScript "unread-script":
        "A script has syntax that `check` cannot read. It was not checked.",
        "Write that line in an older way.";
    UnusedDefinition "unused-definition":
        "No field, script or `all` uses a definition.",
        "Use it, or take it out.";

    ["Answers, options and the command line"]
    AtTheStart "at-the-start": "There is nothing to undo.", "Go on.";
    BadAnswer "bad-answer": "An answer does not fit the question.", "What fits is shown.";
    BadInput "bad-input":
        "A program's answer does not fit the question.",
        "Answer with an open choice.";
    BadOption "bad-option": "An option cannot have that value.", "What fits is shown.";
    Counts "counts": "A run that counts has no undo.", "`--practice` has, and earns nothing.";
    KeyConflict "key-conflict": "One key has two actions. It does the first.", "Change one.";
    NoDataFolder "no-data-folder": "The system names no folder for data.", "Name one: `--data`.";
    NoKeys "no-keys":
        "The file of keys cannot be read; the default keys are used.",
        "Check its rights and its TOML.";
    NoRunHere "no-run-here": "The console needs a run that asks something.", "Begin one.";
    NoScript "no-script":
        "The file of `--script` cannot be read.",
        "Name a file with one answer a line.";
    NotAccepted "not-accepted":
        "A recorded answer does not fit when it is played again.",
        "It was made with other content.";
    RunOver "run-over": "A finished run cannot be played on.", "Go back to an earlier step.";
    StalePrompt "stale-prompt":
        "A prompt was answered that is not asked any more.",
        "Ask for it again.";
    UnknownAction "unknown-action":
        "The file of keys names an unknown action.",
        "The actions are shown.";
    UnknownOption "unknown-option": "The game has no such option.", "Fix the spelling.";

    ["Saves, runs and profiles",
     "Nothing is deleted. What cannot be used is named and kept."]
    BadSnapshot "bad-snapshot": "A saved state cannot be read.", "Go back to an earlier step.";
    BadStore "bad-store": "Stored content is not valid.", "Restore the data folder's `content/`.";
    CheckpointDamaged "checkpoint-damaged":
        "A checkpoint cannot be used.",
        "Nothing is lost: the run is read from its journal.";
    CheckpointForeign "checkpoint-foreign":
        "A checkpoint is of another journal.",
        "Nothing is lost: the run is read from its journal.";
    CheckpointPassedOver "checkpoint-passed-over":
        "A run cannot go on from its checkpoint; the reason is shown.",
        "Nothing is lost: it was read from its first line.";
    ContentChanged "content-changed":
        "The mods changed since a run was left. It goes on with the new ones.",
        "Nothing to do.";
    ContentDamaged "content-damaged":
        "The stored content of a run is damaged.",
        "Restore the data folder's `content/`.";
    ContentFound "content-found":
        "Missing or damaged content was found in the program or the mod's folder.",
        "Nothing to do; a damaged file is kept.";
    ContentKept "content-kept":
        "A run cannot go on with the mods as they changed. It goes on with the old ones.",
        "Fix what is shown beside it.";
    ContentMissing "content-missing":
        "The stored content of a run is gone.",
        "Restore the data folder's `content/`, or the mods as they were.";
    DiskDenied "disk-denied":
        "The system refuses access.",
        "Change the rights, or the folder: `--data`.";
    DiskError "disk-error": "The disk failed.", "Check it; all that was shown is saved.";
    DiskFull "disk-full": "The disk is full.", "Make room; all that was shown is saved.";
    DiskMissing "disk-missing":
        "A folder or a file is gone.",
        "Look where it was moved, or name it with `--data`.";
    Diverged "diverged":
        "A replay comes to another result; the line and the step are named.",
        "With the same program and mods, a script keeps something between steps, or it is our \
         mistake: report it with the run's folder.";
    EndedProgram "ended-program":
        "An answer ended the program twice. It was refused.",
        "Report it with the run's folder.";
    EntryTooLarge "entry-too-large":
        "A step is too large for the journal.",
        "Look for one that tells or keeps very much.";
    AwardRefused "award-refused":
        "The award of a finished run does not fit into the profile. The run counts.",
        "Award less: a game keeps at most 1 MiB.";
    InUse "in-use":
        "Another program has this profile or run open.",
        "Close it; after a crash, try again.";
    JournalDamaged "journal-damaged":
        "A line of a journal was changed or lost.",
        "The last good step is offered; the file is kept.";
    JournalFull "journal-full": "A run has no room for another step.", "Watch it, or give it up.";
    JournalMisplaced "journal-misplaced": "A journal is in another run's folder.", "Move it back.";
    NoRun "no-run":
        "There is no such run or file.",
        "Take an id from the past runs, or name the journal.";
    NoJournal "no-journal":
        "A run that is not saved cannot go back or be forked.",
        "Save runs: `--data`.";
    NotAFile "not-a-file":
        "A link, a folder or a pipe is where a file belongs.",
        "Put the file there. Folders may be links.";
    NoSuchStep "no-such-step": "A run has no such step yet.", "Name an earlier one.";
    NoCheckpointAfterDamage "no-checkpoint-after-damage":
        "No checkpoint is intact after the damage.",
        "Repair the run up to the last good line.";
    EngineBug "engine-bug":
        "The program failed on a file and left it unchanged.",
        "Report it with the line.";
    ProfileDamaged "profile-damaged":
        "A profile cannot be read, or was changed. The previous one is used.",
        "If you edited it, delete its last line and write `format = 1`.";
    ProfileNewer "profile-newer": "A newer program wrote this profile.", "Use that program.";
    ProfileTooLarge "profile-too-large":
        "A profile is full.",
        "Play under another name, and tell the game's maker.";
    RunRenamed "run-renamed":
        "A folder in `runs/` is not named as its run, so no list shows it.",
        "Rename it as shown, or move a copy elsewhere.";
    TooManyDamaged "too-many-damaged":
        "A file has ten thousand damaged copies.",
        "Check the disk, and move them away.";
    TooManyRuns "too-many-runs":
        "A profile has no number left for a run.",
        "Play under another name.";
    TornLine "torn-line":
        "The last line of a journal is incomplete, as after a loss of power.",
        "Nothing that was shown is lost.";
    UnfinishedRun "unfinished-run":
        "Another run of this game is not over.",
        "Go on with it or give it up.";
    Unknown "unknown": "Something failed without a message.", "Report it with the run's folder.";

    ["While runs are simulated, explored and tested"]
    AnswersLeft "answers-left":
        "A case ended before its last answer.",
        "Take the rest out, or fix what ended it.";
    AsksNothing "asks-nothing": "A case checks nothing.", "Use `equals`, `holds` or `refuses`.";
    BadCase "bad-case": "A file in `tests/` is no valid case.", "`simulate --record` writes some.";
    BadPart "bad-part":
        "A file for `simulate --merge` is no part, or is cut off.",
        "Make it again: `simulate --shard K/N`.";
    BadRange "bad-range": "A range of an option is empty or too long.", "`1..5`.";
    WrongOutcome "wrong-outcome":
        "A case ends otherwise than it says.",
        "Fix what changed, or its `outcome`.";
    RebuildDiverges "rebuild-diverges":
        "A case goes otherwise when the VM is rebuilt on the way.",
        "Look for what is kept outside `state`.";
    NoChanges "no-changes":
        "There is nothing of that name to mutate.",
        "Name a path's beginning, or a row of scripts or ledger.";
    NoEnd "no-end":
        "A run did not end after very many steps.",
        "Play its script by hand and look for a circle.";
    NoLedger "no-ledger":
        "A ledger cannot be read, or has no row.",
        "Rows begin with an id such as SR-3.5; columns are `id`, `done by`, `shown by`.";
    NoProblem "no-problem": "A case expected a refusal.", "Take `problem` out.";
    NoParts "no-parts": "There is nothing to merge.", "Name files of `simulate --shard`.";
    NoRevision "no-revision":
        "git does not know that revision.",
        "Name one of the mod's repository.";
    NoRow "no-row": "A case names no row of the ledger.", "Begin its name with a row's id.";
    NoSuchBot "no-such-bot": "No bot has that name.", "They are listed; `random` always exists.";
    NotComparable "not-comparable":
        "Two sets of mods have different options.",
        "Set those with `--set`.";
    NotOneSimulation "not-one-simulation":
        "Parts to merge are of different simulations.",
        "Use one program, and the same mods and options.";
    CaseCheckFailed "case-check-failed": "A check of a case failed, at that line.", "Fix the rule, or the case.";
    TextNotTold "text-not-told":
        "An expected text was not told in its turn.",
        "Fix what changed, or the case's `expect`.";
    UnknownFunction "unknown-function":
        "A ledger row names a function that its file does not have.",
        "Name the function as the file does: `mutate` finds the changes of a row by it.";
    OutdatedLedgerCounts "outdated-ledger-counts":
        "A ledger has counts of rules that changed since.",
        "Count again with the command that is shown.";
    WrongCaseFiles "wrong-case-files":
        "A row names the wrong files of cases.",
        "Under `shown by` name those of its cases, as below `tests/`.";
    NotWritten "not-written": "A file cannot be written.", "Name another folder.";
    PartTwice "part-twice": "One part is given twice to merge.", "Leave one out.";
    TranscriptDiffers "transcript-differs":
        "A transcript differs from the accepted one.",
        "Fix what changed, or `sub-rosa test --accept`.";
    RowWithoutCases "row-without-cases":
        "A row of the ledger has no case.",
        "Write one whose name begins with its id, or name what else shows it.";
    TooManyGroups "too-many-groups":
        "Lists and ranges of options make too many groups.",
        "Set fewer.";

}
