import type { Pull } from './pull.js';
import type { Repository } from './repository.js';

interface Rule {
  readonly type: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface RulesetSpec {
  readonly name: string;
  readonly target?: 'branch' | 'tag' | 'push';
  readonly enforcement: 'disabled' | 'active' | 'evaluate';
  readonly bypass_actors?: readonly object[];
  readonly conditions?: {
    readonly ref_name?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  };
  readonly rules?: readonly Rule[];
}

export interface Ruleset {
  readonly id: number;
  readonly repository: Repository;
  readonly createdAt: Date;
  updatedAt: Date;
  spec: RulesetSpec;
}

/** The rulesets of a repository; those that are active are enforced on merges. */
export class Rulesets {
  private readonly rulesets: Ruleset[] = [];

  constructor(private readonly repository: Repository) {}

  create(spec: RulesetSpec): Ruleset {
    const now = this.repository.world.now();
    const id = this.repository.world.nextId();
    const ruleset = { id, repository: this.repository, createdAt: now, updatedAt: now, spec };
    this.rulesets.push(ruleset);
    return ruleset;
  }

  replace(ruleset: Ruleset, spec: Partial<RulesetSpec>): void {
    ruleset.spec = { ...ruleset.spec, ...spec };
    ruleset.updatedAt = this.repository.world.now();
  }

  delete(ruleset: Ruleset): void {
    this.rulesets.splice(this.rulesets.indexOf(ruleset), 1);
  }

  list(): readonly Ruleset[] {
    return this.rulesets;
  }

  find(id: number): Ruleset | null {
    return this.rulesets.find((ruleset) => ruleset.id === id) ?? null;
  }

  /** The active rules of a branch, each with the ruleset that it comes from. */
  activeRules(branch: string): readonly { readonly rule: Rule; readonly ruleset: Ruleset }[] {
    const applying = this.rulesets.filter(
      ({ spec }) => spec.enforcement === 'active' && (spec.target ?? 'branch') === 'branch' && this.names(spec, branch),
    );
    return applying.flatMap((ruleset) => (ruleset.spec.rules ?? []).map((rule) => ({ rule, ruleset })));
  }

  /** The first reason why an active rule forbids the merge, or null. */
  unmetForMerge(pull: Pull): string | null {
    for (const { rule } of this.activeRules(pull.baseRef)) {
      if (rule.type === 'pull_request') {
        const wanted = Number(rule.parameters?.['required_approving_review_count'] ?? 0);
        if (this.approvals(pull) < wanted) return `At least ${wanted} approving reviews are required.`;
      }
      if (rule.type === 'required_status_checks') {
        const missing = this.requiredContexts(rule).find((context) => !this.hasPassed(pull, context));
        if (missing !== undefined) return `Required status check "${missing}" is expected.`;
      }
    }
    return null;
  }

  private approvals(pull: Pull): number {
    const latest = new Map<number, string>();
    for (const { author, state } of pull.reviews) if (state !== 'COMMENTED') latest.set(author.id, state);
    return [...latest.values()].filter((state) => state === 'APPROVED').length;
  }

  private requiredContexts({ parameters }: Rule): readonly string[] {
    const checks = (parameters?.['required_status_checks'] ?? []) as readonly { readonly context: string }[];
    return checks.map(({ context }) => context);
  }

  private hasPassed(pull: Pull, context: string): boolean {
    const { checkRuns, statuses } = this.repository;
    const runs = checkRuns.ofCommit(pull.headSha, 'latest').filter(({ name }) => name === context);
    const states = statuses.latest(pull.headSha).filter((status) => status.context === context);
    const passing = new Set(['success', 'neutral', 'skipped']);
    if (runs.length + states.length === 0) return false;
    return (
      runs.every(({ conclusion }) => passing.has(conclusion ?? '')) && states.every(({ state }) => state === 'success')
    );
  }

  private names(spec: RulesetSpec, branch: string): boolean {
    const { include = [], exclude = [] } = spec.conditions?.ref_name ?? {};
    const matches = (pattern: string) => this.matches(pattern, branch);
    return include.some(matches) && !exclude.some(matches);
  }

  /** `~ALL`, `~DEFAULT_BRANCH`, or a full ref in which `*` stays within a path segment and `**` does not. */
  private matches(pattern: string, branch: string): boolean {
    if (pattern === '~ALL') return true;
    if (pattern === '~DEFAULT_BRANCH') return branch === this.repository.defaultBranch;
    const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
    const source = escaped.replaceAll(/\*\*|\*|\?/g, (wild) => ({ '**': '.*', '*': '[^/]*' })[wild] ?? '[^/]');
    return new RegExp(`^${source}$`).test(`refs/heads/${branch}`);
  }
}
