import type { Sha } from '../facts/facts.js';
import type { Condition } from '../facts/condition.js';
import {
  type ReleaseOverrides,
  type ConfirmedOverride,
  isActive,
  nextBoundary,
  type OverrideRequest,
  type AppliedOverride,
  type Waiver,
} from './override.js';

/**
 * The overrides that each condition allows. A waiver is for small, known problems and lasts for days. Break-glass is
 * for emergencies and lasts for hours. A condition that is not known, or that makes the answer itself unreliable,
 * allows none. A code that is not listed allows none.
 */
type OverrideRule =
  | { readonly by: 'waiver' }
  /** Only break-glass. `why` is the reason why there is no waiver. */
  | { readonly by: 'break_glass'; readonly why: string }
  | { readonly by: 'none'; readonly why: string };

const waiver: OverrideRule = { by: 'waiver' };
const breakGlass = (why: string): OverrideRule => ({ by: 'break_glass', why });
const noOverride = (why: string): OverrideRule => ({ by: 'none', why });

const MISSING_EVIDENCE = 'evidence that does not exist shows nothing about the candidate.';
const APPROVAL = 'the approval on GitHub is the second review itself, and a waiver would replace it for days.';
const UNCLEAR_CANDIDATE = 'it is not known which commit would be deployed.';
const NO_RULES = 'without valid rules it is not known what the override covers.';
const NOT_KNOWN = 'the value is not known, so it is not known what the override covers.';

/** The rule of every condition code. */
export const OVERRIDE_RULES: ReadonlyMap<string, OverrideRule> = new Map([
  ['issue_open', waiver],
  ['issue_unowned', waiver],
  ['scope_empty', waiver],
  ['check_failing', waiver],
  ['check_missing', waiver],
  ['check_skipped', waiver],
  ['evidence_failing', waiver],
  ['too_few_tests', waiver],
  ['quality_gate_failing', waiver],
  ['freeze', waiver],
  ['check_pending', breakGlass('the check will report its result.')],
  ['evidence_missing', breakGlass(MISSING_EVIDENCE)],
  ['evidence_incomplete', breakGlass(MISSING_EVIDENCE)],
  ['quality_evidence_missing', breakGlass(MISSING_EVIDENCE)],
  ['not_started', breakGlass('starting the release clears it at once.')],
  ['approvals_missing', breakGlass(APPROVAL)],
  ['changes_requested', breakGlass(APPROVAL)],
  ['no_reviewer_left', breakGlass(APPROVAL)],
  ['evidence_pull_pending', breakGlass(APPROVAL)],
  ['evidence_pull_outdated', breakGlass(APPROVAL)],
  ['evidence_pull_closed', breakGlass(APPROVAL)],
  ['evidence_pull_merged_unapproved', breakGlass(APPROVAL)],
  ['evidence_pull_not_merged', breakGlass(APPROVAL)],
  ['evidence_pull_altered', breakGlass(APPROVAL)],
  ['no_candidate', noOverride(UNCLEAR_CANDIDATE)],
  ['two_release_branches', noOverride(UNCLEAR_CANDIDATE)],
  ['no_development_branch', noOverride(UNCLEAR_CANDIDATE)],
  ['not_the_candidate', noOverride('another commit has another release, or none.')],
  ['policy_missing', noOverride(NO_RULES)],
  ['policy_invalid', noOverride(NO_RULES)],
  ['policy_unknown', noOverride(NO_RULES)],
  ['unknown', noOverride(NOT_KNOWN)],
  ['facts_stale', noOverride(NOT_KNOWN)],
  ['workflows_unknown', noOverride(NOT_KNOWN)],
  ['not_ready', noOverride(NOT_KNOWN)],
  ['tampered', noOverride('the results of changed workflow files cannot be trusted. Restore the files.')],
  ['repository_removed', noOverride('the service has no access to the repository.')],
  ['plan_limit', noOverride('the plan decides which repositories are governed.')],
  ['cancelled', noOverride('the release is cancelled. Reopen the milestone.')],
  ['milestone_renamed', noOverride('it is not known which version would be deployed.')],
  ['milestone_closed', noOverride('it does not close the gate.')],
  ['not_deployed', noOverride('it does not close the gate.')],
]);

/** Every condition code. */
export const CONDITION_CODES: readonly string[] = [...OVERRIDE_RULES.keys()];

const UNLISTED: OverrideRule = noOverride('it is not a condition of a release.');

/** Returns why a condition cannot be waived. Null if it can. */
export function validateWaivable(code: string): string | null {
  const rule = OVERRIDE_RULES.get(code) ?? UNLISTED;
  return rule.by === 'waiver' ? null : rule.why;
}

/** Returns whether break-glass covers the condition. */
export const allowsBreakGlass = (code: string): boolean => (OVERRIDE_RULES.get(code) ?? UNLISTED).by !== 'none';

/** The overrides that admins can request for a condition. Break-glass also covers every condition that can be waived. */
export const ALLOWED_OVERRIDES = ['waiver', 'break_glass', 'none'] as const;
export type AllowedOverride = (typeof ALLOWED_OVERRIDES)[number];

/** The part of a release and its verdict that decides whether the release allows overrides. */
interface OverridableRelease {
  readonly isShipped: boolean;
  readonly cancelled: boolean;
  readonly candidateSha: Sha | null;
}

/**
 * Returns the override that admins can request for a condition of the release. A shipped or cancelled release, and a release
 * without a candidate, allows no override.
 */
export const findAllowedOverride = (
  code: string,
  { isShipped, cancelled, candidateSha }: OverridableRelease,
): AllowedOverride =>
  isShipped || cancelled || candidateSha === null ? 'none' : (OVERRIDE_RULES.get(code) ?? UNLISTED).by;

/** The codes that can be waived. */
export const WAIVABLE_CODES: readonly string[] = [...OVERRIDE_RULES]
  .filter(([, { by }]) => by === 'waiver')
  .map(([code]) => code);

/**
 * Applies the overrides of a release to one verdict. It records which override covered which condition, because the
 * verdict depends on these overrides as it does on facts.
 */
export class AppliedOverrides {
  private readonly usedById = new Map<string, AppliedOverride>();

  constructor(
    private readonly overrides: Pick<ReleaseOverrides, 'waivers' | 'breakGlasses'>,
    private readonly candidateShas: readonly Sha[],
    private readonly now: Date,
  ) {}

  /** Returns the conditions that no waiver covers. */
  waive(conditions: readonly Condition[]): readonly Condition[] {
    return conditions.filter((condition) => {
      const waiver = this.listActive(this.overrides.waivers).find((one) => this.covers(one, condition));
      if (waiver) this.use('waiver', waiver, condition);
      return waiver === undefined;
    });
  }

  /** Returns whether break-glass is active for the candidate and covers all of these conditions. */
  breakGlass(conditions: readonly Condition[]): boolean {
    const override = this.listActive(this.overrides.breakGlasses).find(({ sha }) => this.candidateShas.includes(sha));
    if (!override || !conditions.every(({ code }) => allowsBreakGlass(code))) return false;
    for (const condition of conditions) this.use('break_glass', override, condition);
    return true;
  }

  /** Returns the overrides that were used so far, with their conditions. */
  list(): readonly AppliedOverride[] {
    return [...this.usedById.values()];
  }

  /** Returns the next start or end of an override, in milliseconds since the epoch. Infinity if there is none. */
  nextBoundaryTime(): number {
    return nextBoundary([...this.overrides.waivers, ...this.overrides.breakGlasses], this.now);
  }

  private covers({ condition: code, details, candidateSha }: Waiver, condition: Condition): boolean {
    return (
      code === condition.code &&
      validateWaivable(code) === null &&
      details.includes(condition.detail) &&
      this.candidateShas.includes(candidateSha)
    );
  }

  private listActive<A extends OverrideRequest>(overrides: readonly A[]): readonly ConfirmedOverride<A>[] {
    return overrides.filter((override) => isActive(override, this.now));
  }

  private use(kind: AppliedOverride['kind'], override: ConfirmedOverride<OverrideRequest>, condition: Condition): void {
    const { id, reason, requestedBy, confirmedBy, expiresAt } = override;
    const conditions = [...(this.usedById.get(id)?.conditions ?? []), condition];
    this.usedById.set(id, { kind, id, reason, requestedBy, confirmedBy, expiresAt, conditions });
  }
}
