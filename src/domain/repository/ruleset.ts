/** One rule as GitHub names it, its parameters as they stand: https://docs.github.com/rest/repos/rules */
export interface Rule {
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Somebody on whom a ruleset is not binding. */
export interface BypassActor {
  readonly type: string;
  /** Null for kinds that have none, as deploy keys. */
  readonly id: number | null;
}

/** What GitHub lets nobody do to the branches that it names. */
export interface Ruleset {
  readonly name: string;
  readonly target: string;
  readonly enforcement: string;
  /** Patterns of full refs in GitHub's syntax, or `~DEFAULT_BRANCH`, or `~ALL`. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Null where whoever asked may not see it: GitHub tells it to those who may change the ruleset. */
  readonly bypassActors: readonly BypassActor[] | null;
  readonly rules: readonly Rule[];
}
