/** The text of the check `Shipgate`: what a change does to releases, said to whoever looks at the pull request. */
import type { PolicyProblem } from '../../domain/policy/policy.js';
import {
  isRefused,
  type ChangeFinding,
  type PolicyChange,
  type PolicyPreview,
} from '../../domain/repository/change-finding.js';
import { POLICY_FILE } from '../../domain/repository/managed-file.js';

export interface EnforcementReport {
  readonly conclusion: 'success' | 'failure';
  readonly title: string;
  /** In Markdown. */
  readonly summary: string;
}

const MAX_PROBLEMS = 20;
const MAX_RELEASES = 20;
const MAX_CONDITIONS = 5;
/** GitHub refuses a longer summary: https://docs.github.com/rest/checks/runs, "Maximum length: 65535 characters". */
const MAX_SUMMARY = 65_535;

/** One report of all changes that have one commit at their head: the check is the commit's, so the worst one decides. */
export function enforcementReport(findings: readonly ChangeFinding[]): EnforcementReport {
  const sections = findings.map((finding) => {
    const lines = [...workflowLines(finding), ...policyLines(finding.policy), ...scopeLines(finding)];
    return [...(findings.length > 1 ? [`### ${subjectOf(finding)}`, ''] : []), ...lines].join('\n');
  });
  return {
    conclusion: findings.some(isRefused) ? 'failure' : 'success',
    title: titleOf(findings),
    summary: sections.join('\n\n').slice(0, MAX_SUMMARY),
  };
}

const subjectOf = ({ pullNumber }: ChangeFinding): string =>
  pullNumber === null ? 'Merge group' : `Pull request #${pullNumber}`;

function titleOf(findings: readonly ChangeFinding[]): string {
  if (findings.some(({ foreign }) => foreign.length > 0)) return 'A managed workflow file is changed';
  if (findings.some(isRefused)) return `${POLICY_FILE} is not valid as proposed`;
  const versions = [...new Set(findings.flatMap(({ releases }) => releases.map(({ version }) => version)))];
  if (versions.length > 0) return `Part of ${versions.slice(0, 3).join(', ')}${versions.length > 3 ? ', …' : ''}`;
  return 'Part of no release';
}

function workflowLines({ foreign, installed }: ChangeFinding): readonly string[] {
  return [
    ...foreign.map(
      (path) => `- ❌ \`${path}\` is managed by Shipgate. Take the change back: Shipgate updates the file itself.`,
    ),
    ...installed.map((path) => `- \`${path}\` becomes what Shipgate published.`),
  ];
}

function policyLines(policy: PolicyChange | null): readonly string[] {
  if (policy === null) return [];
  const { state, heldOnlyOn, previews } = policy;
  if (state.status === 'missing') {
    return [`- ❌ \`${POLICY_FILE}\` is removed. Without it no release could be deployed.`];
  }
  if (state.status === 'invalid') {
    const { problems } = state;
    return [
      `- ❌ \`${POLICY_FILE}\` does not validate:`,
      ...problems.slice(0, MAX_PROBLEMS).map((problem) => `  - ${problemText(problem)}`),
      ...restOf(problems.length, MAX_PROBLEMS, '  '),
    ];
  }
  if (heldOnlyOn !== null) {
    return [`- \`${POLICY_FILE}\` is changed and valid. Only what is on ${plain(heldOnlyOn)} holds.`];
  }
  if (previews.length === 0) {
    return [`- \`${POLICY_FILE}\` is changed and valid. As things stand it changes the verdict of no active release.`];
  }
  return [
    `- \`${POLICY_FILE}\` is changed and valid. As things stand it would change these releases:`,
    ...previews.slice(0, MAX_RELEASES).flatMap(previewLines),
    ...restOf(previews.length, MAX_RELEASES, '  '),
  ];
}

function previewLines({ version, stage, proposedStage, opens, closes, newlyUnmet, unknownFacts }: PolicyPreview) {
  const move = stage === proposedStage ? `stays in ${stage}` : `would go from ${stage} to ${proposedStage}`;
  const gate = opens ? ', and its gate would open' : closes ? ', and its gate would close' : '';
  return [
    `  - **${plain(version)}** ${move}${gate}.`,
    ...newlyUnmet.slice(0, MAX_CONDITIONS).map(({ detail }) => `    - It would lack: ${plain(detail)}`),
    ...restOf(newlyUnmet.length, MAX_CONDITIONS, '    '),
    ...(unknownFacts > 0 ? [`    - Not everything that this rests on is known yet.`] : []),
  ];
}

function scopeLines({ releases }: ChangeFinding): readonly string[] {
  if (releases.length === 0) {
    return [
      '- It belongs to the scope of no active release: it carries no milestone of one, and names none of its issues.',
    ];
  }
  return [
    ...releases.slice(0, MAX_RELEASES).map(({ version, stage, byMilestone, issues }) => {
      const reasons = [...(byMilestone ? ['its milestone'] : []), ...issues.slice(0, 10).map((number) => `#${number}`)];
      return `- It belongs to the scope of **${plain(version)}** (${stage}) by ${reasons.join(', ')}.`;
    }),
    ...restOf(releases.length, MAX_RELEASES, ''),
  ];
}

const restOf = (count: number, shown: number, indent: string): readonly string[] =>
  count > shown ? [`${indent}- … and ${count - shown} more.`] : [];

function problemText({ line, key, message }: PolicyProblem): string {
  const place = [...(line === null ? [] : [`line ${line}`]), ...(key === '' ? [] : [key])].join(', ');
  return plain(place === '' ? message : `${place}: ${message}`);
}

/** Text that a change may have brought along: it may not open a tag, mention anybody, or make a link or a picture. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll(/[\\`*_{}[\]()#!|<>~&]/g, String.raw`\$&`)
    .replaceAll('@', '@\u200B')
    .replaceAll('://', ':\u200B//');
