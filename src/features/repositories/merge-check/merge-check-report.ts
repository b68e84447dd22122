import type { PolicyProblem } from '../../../domain/policy/policy.js';
import { POLICY_FILE } from '../../../domain/repository/managed-files.js';
import {
  type ChangeAnalysis,
  isBlocked,
  type PolicyChange,
  type PolicyPreview,
} from '../../../domain/repository/merge-check.js';
import { cutMarkdown, gfm, joined, lines, type Markdown } from '../../../github/markdown.js';

export interface MergeCheckReport {
  readonly conclusion: 'success' | 'failure';
  readonly title: string;
  readonly summary: Markdown;
}

const MAX_PROBLEMS = 20;
const MAX_RELEASES = 20;
const MAX_CONDITIONS = 5;
/** GitHub rejects a longer summary: https://docs.github.com/rest/checks/runs, "Maximum length: 65535 characters". */
const MAX_SUMMARY_BYTES = 65_535;

/** Builds one report of all changes with the same head commit. The check belongs to the commit, so the worst change decides. */
export function buildMergeCheckReport(findings: readonly ChangeAnalysis[]): MergeCheckReport {
  const sections = findings.map((finding) => {
    const heading = findings.length > 1 ? [gfm`### ${describeSubject(finding)}`, gfm``] : [];
    return lines([
      ...heading,
      ...workflowLines(finding),
      ...policyLines(finding.policy),
      ...scopeLines(finding),
      gfm``,
    ]);
  });
  return {
    conclusion: findings.some(isBlocked) ? 'failure' : 'success',
    title: buildTitle(findings),
    summary: cutMarkdown(lines(sections), MAX_SUMMARY_BYTES, gfm`… The rest is longer than GitHub accepts here.`),
  };
}

const describeSubject = ({ pullNumber }: ChangeAnalysis): Markdown =>
  pullNumber === null ? gfm`Merge group` : gfm`Pull request #${pullNumber}`;

function buildTitle(findings: readonly ChangeAnalysis[]): string {
  if (findings.some(({ foreign }) => foreign.length > 0)) return 'A managed workflow file is changed';
  if (findings.some(isBlocked)) return `${POLICY_FILE} is not valid as proposed`;
  const versions = [...new Set(findings.flatMap(({ releases }) => releases.map(({ version }) => version)))];
  if (versions.length > 0) return `Part of ${versions.slice(0, 3).join(', ')}${versions.length > 3 ? ', …' : ''}`;
  return 'Part of no release';
}

function workflowLines({ foreign, installed }: ChangeAnalysis): readonly Markdown[] {
  return [
    ...foreign.map(
      (path) => gfm`- ❌ ${path} is managed by Shipgate. Revert the change, because Shipgate updates the file itself.`,
    ),
    ...installed.map((path) => gfm`- ${path} is changed to a version that Shipgate published.`),
  ];
}

function policyLines(policy: PolicyChange | null): readonly Markdown[] {
  if (policy === null) return [];
  const { state, heldOnlyOn, previews } = policy;
  if (state.status === 'missing') {
    return [gfm`- ❌ ${POLICY_FILE} is removed. Without it no release could be deployed.`];
  }
  if (state.status === 'invalid') {
    const { problems } = state;
    return [
      gfm`- ❌ ${POLICY_FILE} does not validate:`,
      ...problems.slice(0, MAX_PROBLEMS).map(problemLine),
      ...describeRest(problems.length, MAX_PROBLEMS, gfm`  `),
    ];
  }
  if (heldOnlyOn !== null) {
    return [gfm`- ${POLICY_FILE} is changed and valid. Only the version on ${heldOnlyOn} applies.`];
  }
  if (previews.length === 0) {
    return [
      gfm`- ${POLICY_FILE} is changed and valid. By the current facts, it changes the verdict of no active release.`,
    ];
  }
  return [
    gfm`- ${POLICY_FILE} is changed and valid. By the current facts, it would change these releases:`,
    ...previews.slice(0, MAX_RELEASES).flatMap(previewLines),
    ...describeRest(previews.length, MAX_RELEASES, gfm`  `),
  ];
}

function previewLines(preview: PolicyPreview): readonly Markdown[] {
  const { version, stage, proposedStage, opens, closes, newlyUnmet, unknownFacts } = preview;
  const move = stage === proposedStage ? gfm`stays in ${stage}` : gfm`would go from ${stage} to ${proposedStage}`;
  const gate = opens ? gfm`, and its gate would open` : closes ? gfm`, and its gate would close` : null;
  return [
    gfm`  - **${version}** ${move}${gate}.`,
    ...newlyUnmet.slice(0, MAX_CONDITIONS).map(({ detail }) => gfm`    - It would lack: ${detail}`),
    ...describeRest(newlyUnmet.length, MAX_CONDITIONS, gfm`    `),
    ...(unknownFacts > 0 ? [gfm`    - Not all facts for this result are known yet.`] : []),
  ];
}

function scopeLines({ releases }: ChangeAnalysis): readonly Markdown[] {
  if (releases.length === 0) {
    return [
      gfm`- It belongs to the scope of no active release: it has no milestone of an active release, and names none of its issues.`,
    ];
  }
  return [
    ...releases.slice(0, MAX_RELEASES).map(({ version, stage, byMilestone, issues }) => {
      const named = issues.slice(0, 10).map((number) => gfm`#${number}`);
      const reasons = [...(byMilestone ? [gfm`its milestone`] : []), ...named];
      return gfm`- It belongs to the scope of **${version}** (${stage}) by ${joined(reasons, gfm`, `)}.`;
    }),
    ...describeRest(releases.length, MAX_RELEASES, gfm``),
  ];
}

const describeRest = (count: number, limit: number, indent: Markdown): readonly Markdown[] =>
  count > limit ? [gfm`${indent}- … and ${count - limit} more.`] : [];

function problemLine({ line, key, message }: PolicyProblem): Markdown {
  const place = [...(line === null ? [] : [`line ${line}`]), ...(key === '' ? [] : [key])].join(', ');
  return gfm`  - ${place === '' ? message : `${place}: ${message}`}`;
}
