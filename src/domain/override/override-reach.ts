/**
 * How far people may go against a condition. A waiver is given days ahead and for what is known and small; break-glass for
 * hours and for what an emergency may weigh lighter. What is not known, and what says that the answer itself cannot be
 * trusted, nobody sets aside. A code that is not listed here is out of reach.
 */
type Reach =
  | { readonly by: 'waiver' }
  /** By break-glass alone, with why there is no waiver. */
  | { readonly by: 'break_glass'; readonly why: string }
  | { readonly by: 'nobody'; readonly why: string };

const waiver: Reach = { by: 'waiver' };
const breakGlass = (why: string): Reach => ({ by: 'break_glass', why });
const nobody = (why: string): Reach => ({ by: 'nobody', why });

const MISSING_EVIDENCE = 'what nobody has tested cannot be told to be good enough.';
const APPROVAL = 'the approval on GitHub is itself the second look, and a waiver would stand in its place for days.';
const UNCLEAR_CANDIDATE = 'it is not known which commit would be deployed.';
const NO_RULES = 'without valid rules it is not known what is set aside.';
const NOT_KNOWN = 'it is not known, so nobody can tell what is set aside.';

/** Every condition that a verdict names, by its code. */
export const OVERRIDE_REACH: ReadonlyMap<string, Reach> = new Map([
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

const UNLISTED: Reach = nobody('it is no condition of a release.');

/** Why a condition cannot be waived, or null. */
export function unwaivable(code: string): string | null {
  const reach = OVERRIDE_REACH.get(code) ?? UNLISTED;
  return reach.by === 'waiver' ? null : reach.why;
}

/** Whether break-glass sets the condition aside. */
export const isBreakable = (code: string): boolean => (OVERRIDE_REACH.get(code) ?? UNLISTED).by !== 'nobody';

/** The codes that a waiver may name. */
export const WAIVABLE_CODES: readonly string[] = [...OVERRIDE_REACH]
  .filter(([, { by }]) => by === 'waiver')
  .map(([code]) => code);
