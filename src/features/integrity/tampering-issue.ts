/** The issue that tells a repository's people of a workflow file that somebody changed. */
import { ENFORCE_WORKFLOW } from '../../domain/repository/managed-file.js';
import type { IssueContent } from '../../github/own-issues.js';

/** A branch on which the file is not as it was installed. */
export interface TamperedBranch {
  readonly branch: string;
  readonly since: Date;
}

/** How the text of an issue about the file begins: by this it is found again. It is shown to nobody. */
export const markerOf = (path: string): string => `<!-- shipgate:tampering:${path} -->`;

/** What the issue says while the file is changed on these branches, and once it is on none any more. */
export function tamperingIssue(path: string, branches: readonly TamperedBranch[]): IssueContent {
  const title = `Shipgate: ${path} was changed`;
  const paragraphs = branches.length > 0 ? changed(path, branches) : restored(path);
  return {
    title,
    body: [markerOf(path), ...paragraphs].join('\n\n'),
    state: branches.length > 0 ? 'open' : 'closed',
  };
}

const changed = (path: string, branches: readonly TamperedBranch[]): readonly string[] => [
  `\`${path}\` is installed and kept by Shipgate, and is not as Shipgate published it on:`,
  branches.map(({ branch, since }) => `- ${quoted(branch)}, found ${since.toISOString()}`).join('\n'),
  'Until it is restored no release can be deployed from there.',
  `${remedyOf(path)} Any version of the file that Shipgate ever published will do. This issue is closed by itself then.`,
];

/** An update leaves a CI file alone that the service never published: it takes it for the team's own. */
const remedyOf = (path: string): string =>
  path === ENFORCE_WORKFLOW
    ? 'Take the change back, or let Shipgate update its workflow files.'
    : 'Take the change back.';

const restored = (path: string): readonly string[] => [
  `\`${path}\` is as Shipgate published it again, on every branch that it was changed on.`,
];

/** A branch's name may hold nearly anything: here it makes no link, mentions nobody and ends nothing. */
const quoted = (branch: string): string =>
  `<code>${branch.replaceAll(/[^\w./-]/gu, (character) => `&#${character.codePointAt(0)};`)}</code>`;
