import type { Sha } from '../facts/facts.js';
import type { Condition } from '../release/stage.js';
import {
  type ReleaseOverrides,
  type ConfirmedOverride,
  isActive,
  nextBoundary,
  type TwoPersonOverride,
  type AppliedOverride,
  type Waiver,
} from './override.js';

/**
 * How far people may go against a condition. A waiver is given days ahead and for what is known and small; break-glass for
 * hours and for what an emergency may weigh lighter. What is not known, and what says that the answer itself cannot be
 * trusted, nobody sets aside. A code that is not listed here is out of reach.
 */
type OverrideRule =
  | { readonly by: 'waiver' }
  /** By break-glass alone, with why there is no waiver. */
  | { readonly by: 'break_glass'; readonly why: string }
  | { readonly by: 'nobody'; readonly why: string };

const waiver: OverrideRule = { by: 'waiver' };
const breakGlass = (why: string): OverrideRule => ({ by: 'break_glass', why });
const nobody = (why: string): OverrideRule => ({ by: 'nobody', why });

const MISSING_EVIDENCE = 'what nobody has tested cannot be told to be good enough.';
const APPROVAL = 'the approval on GitHub is itself the second look, and a waiver would stand in its place for days.';
const UNCLEAR_CANDIDATE = 'it is not known which commit would be deployed.';
const NO_RULES = 'without valid rules it is not known what is set aside.';
const NOT_KNOWN = 'it is not known, so nobody can tell what is set aside.';

/** Every condition that a verdict names, by its code. */
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
  ['check_pending', breakGlass('the check tells by itself in a while.')],
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
  ['no_candidate', nobody(UNCLEAR_CANDIDATE)],
  ['two_release_branches', nobody(UNCLEAR_CANDIDATE)],
  ['no_development_branch', nobody(UNCLEAR_CANDIDATE)],
  ['not_the_candidate', nobody('another commit has another release, or none.')],
  ['policy_missing', nobody(NO_RULES)],
  ['policy_invalid', nobody(NO_RULES)],
  ['policy_unknown', nobody(NO_RULES)],
  ['unknown', nobody(NOT_KNOWN)],
  ['facts_stale', nobody(NOT_KNOWN)],
  ['workflows_unknown', nobody(NOT_KNOWN)],
  ['not_ready', nobody(NOT_KNOWN)],
  ['tampered', nobody('where the workflows were changed, what they report cannot be trusted: restore them.')],
  ['repository_removed', nobody('the service may no longer look at the repository.')],
  ['plan_limit', nobody('the plan decides which repositories are governed.')],
  ['cancelled', nobody('there is no release any more: reopen the milestone.')],
  ['milestone_renamed', nobody('it is not known which version would be deployed.')],
  ['milestone_closed', nobody('it keeps nothing back.')],
  ['not_deployed', nobody('it keeps nothing back.')],
]);

const UNLISTED: OverrideRule = nobody('it is no condition of a release.');

/** Why a condition cannot be waived, or null. */
export function waiverRefusal(code: string): string | null {
  const reach = OVERRIDE_RULES.get(code) ?? UNLISTED;
  return reach.by === 'waiver' ? null : reach.why;
}

/** Whether break-glass sets the condition aside. */
export const allowsBreakGlass = (code: string): boolean => (OVERRIDE_RULES.get(code) ?? UNLISTED).by !== 'nobody';

/** The codes that a waiver may name. */
export const WAIVABLE_CODES: readonly string[] = [...OVERRIDE_RULES]
  .filter(([, { by }]) => by === 'waiver')
  .map(([code]) => code);

/**
 * The waivers and the break-glass of a release as one verdict makes use of them. It remembers which of them set what
 * aside: that is what the verdict rests on besides the facts.
 */
export class AppliedOverrides {
  private readonly usedById = new Map<string, AppliedOverride>();

  constructor(
    private readonly acts: Pick<ReleaseOverrides, 'waivers' | 'breakGlasses'>,
    private readonly candidateShas: readonly Sha[],
    private readonly now: Date,
  ) {}

  /** The conditions that no waiver sets aside. */
  waive(conditions: readonly Condition[]): readonly Condition[] {
    return conditions.filter((condition) => {
      const waiver = this.inForce(this.acts.waivers).find((one) => this.covers(one, condition));
      if (waiver) this.use('waiver', waiver, condition);
      return waiver === undefined;
    });
  }

  /** Whether the glass is broken for the candidate, and that is enough against all of these. */
  breakGlass(conditions: readonly Condition[]): boolean {
    const act = this.inForce(this.acts.breakGlasses).find(({ sha }) => this.candidateShas.includes(sha));
    if (!act || !conditions.every(({ code }) => allowsBreakGlass(code))) return false;
    for (const condition of conditions) this.use('break_glass', act, condition);
    return true;
  }

  /** What was set aside so far, and by what. */
  list(): readonly AppliedOverride[] {
    return [...this.usedById.values()];
  }

  /** The next moment at which one of them comes into force or ends, in milliseconds since the epoch. */
  nextEdge(): number {
    return nextBoundary([...this.acts.waivers, ...this.acts.breakGlasses], this.now);
  }

  private covers({ condition: code, details, candidateSha }: Waiver, condition: Condition): boolean {
    return (
      code === condition.code &&
      waiverRefusal(code) === null &&
      details.includes(condition.detail) &&
      this.candidateShas.includes(candidateSha)
    );
  }

  private inForce<A extends TwoPersonOverride>(acts: readonly A[]): readonly ConfirmedOverride<A>[] {
    return acts.filter((act) => isActive(act, this.now));
  }

  private use(kind: AppliedOverride['kind'], act: ConfirmedOverride<TwoPersonOverride>, condition: Condition): void {
    const { id, reason, requestedBy, confirmedBy, expiresAt } = act;
    const conditions = [...(this.usedById.get(id)?.conditions ?? []), condition];
    this.usedById.set(id, { kind, id, reason, requestedBy, confirmedBy, expiresAt, conditions });
  }
}
