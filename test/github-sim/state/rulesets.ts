import { rulesetSummary } from '../views/ruleset-view.js';
import type { Pull } from './pull.js';
import { ApiRejection } from './api-rejection.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

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

/** The effect of a push on a branch. */
export type BranchChange = 'made' | 'moved' | 'forced' | 'deleted';

interface RequiredCheck {
  readonly context: string;
  readonly integration_id?: number;
}

/** The rulesets of a repository. The active ones are enforced for merges and for pushes through the API. */
export class Rulesets {
  /** Whether the plan of the owner has rulesets for the repository. */
  offered = true;
  private readonly rulesets: Ruleset[] = [];

  constructor(private readonly repository: Repository) {}

  create(spec: RulesetSpec, by: User = this.repository.owner.founder): Ruleset {
    const now = this.repository.state.now();
    const id = this.repository.state.nextId();
    const ruleset = { id, repository: this.repository, createdAt: now, updatedAt: now, spec };
    this.rulesets.push(ruleset);
    this.announce('created', ruleset, by);
    return ruleset;
  }

  replace(ruleset: Ruleset, spec: Partial<RulesetSpec>, by: User = this.repository.owner.founder): void {
    ruleset.spec = { ...ruleset.spec, ...spec };
    ruleset.updatedAt = this.repository.state.now();
    this.announce('edited', ruleset, by);
  }

  delete(ruleset: Ruleset, by: User = this.repository.owner.founder): void {
    this.rulesets.splice(this.rulesets.indexOf(ruleset), 1);
    this.announce('deleted', ruleset, by);
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

  /** The first violation of an active rule by the merge, or null. */
  unmetForMerge(pull: Pull): string | null {
    for (const { rule } of this.activeRules(pull.baseRef)) {
      if (rule.type === 'pull_request') {
        const expected = Number(rule.parameters?.['required_approving_review_count'] ?? 0);
        const dismissesStale = rule.parameters?.['dismiss_stale_reviews_on_push'] === true;
        if (this.approvals(pull, dismissesStale) < expected)
          return `At least ${expected} approving reviews are required.`;
      }
      if (rule.type === 'required_status_checks') {
        const missing = this.requiredChecks(rule).find((check) => !this.hasPassed(pull, check));
        if (missing !== undefined) return `Required status check "${missing.context}" is expected.`;
      }
    }
    return null;
  }

  /** Throws if an active rule forbids the push to the branch. */
  admitPush(branch: string, to: BranchChange): void {
    const types = new Set(this.activeRules(branch).map(({ rule }) => rule.type));
    const broken = [
      to === 'deleted' && types.has('deletion') && 'Cannot delete this branch',
      to === 'forced' && types.has('non_fast_forward') && 'Cannot force-push to this branch',
      (to === 'moved' || to === 'forced') &&
        types.has('pull_request') &&
        'Changes must be made through a pull request.',
      to === 'made' && types.has('creation') && 'Cannot create ref due to creations being restricted.',
    ].find((reason) => reason !== false);
    if (broken !== undefined) throw new ApiRejection('invalid', `Repository rule violations found\n\n${broken}\n\n`);
  }

  private approvals(pull: Pull, currentOnly: boolean): number {
    const latest = new Map<number, string>();
    for (const { author, state, commitId } of pull.reviews) {
      const counts = state !== 'COMMENTED' && (!currentOnly || commitId === pull.headSha);
      if (counts) latest.set(author.id, state);
    }
    return [...latest.values()].filter((state) => state === 'APPROVED').length;
  }

  private requiredChecks({ parameters }: Rule): readonly RequiredCheck[] {
    return (parameters?.['required_status_checks'] ?? []) as readonly RequiredCheck[];
  }

  /** If the rule names an app, only checks of this app count. */
  private hasPassed(pull: Pull, { context, integration_id: appId }: RequiredCheck): boolean {
    const { checkRuns, statuses } = this.repository;
    const runs = checkRuns
      .ofCommit(pull.headSha, 'latest')
      .filter(({ name, app }) => name === context && (appId === undefined || app.id === appId));
    const states =
      appId === undefined ? statuses.latest(pull.headSha).filter((status) => status.context === context) : [];
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

  /**
   * `~ALL`, `~DEFAULT_BRANCH`, or a full ref as a pattern of `File.fnmatch` with `FNM_PATHNAME`: only `**` with a slash
   * after it matches more than one segment ("Creating rulesets for a repository", using fnmatch syntax).
   */
  private matches(pattern: string, branch: string): boolean {
    if (pattern === '~ALL') return true;
    if (pattern === '~DEFAULT_BRANCH') return branch === this.repository.defaultBranch;
    const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
    const source = escaped.replaceAll(/(?<=^|\/)\*\*\/|\*+|\?/g, (wild) => {
      if (wild === '**/') return '(?:[^/]+/)*';
      return wild === '?' ? '[^/]' : '[^/]*';
    });
    return new RegExp(`^${source}$`).test(`refs/heads/${branch}`);
  }

  private announce(action: 'created' | 'edited' | 'deleted', ruleset: Ruleset, by: User): void {
    const payload = {
      action,
      repository_ruleset: rulesetSummary(ruleset),
      ...(action === 'edited' && { changes: {} }),
    };
    this.repository.emit('repository_ruleset', payload, by);
  }
}
