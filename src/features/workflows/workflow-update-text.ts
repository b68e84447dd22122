import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../domain/repository/managed-file.js';

export const UPDATE_TITLE = 'Update the workflows of Shipgate';

export const updateMessage = (revision: string): string => `${UPDATE_TITLE}\n\nRevision: ${revision}`;

const PURPOSES: Readonly<Record<string, string>> = {
  [CI_WORKFLOW]: 'runs the tests and uploads their reports as evidence',
  [ENFORCE_WORKFLOW]: 'checks the rules, and is the deploy gate as a job that a deploy workflow needs',
};

interface UpdateContent {
  readonly files: readonly string[];
  readonly revision: string;
  readonly installedRevision: string | null;
  readonly customCi: boolean;
}

/** What the pull request says of itself: what it replaces, and what it leaves alone. */
export const updateBody = ({ files, revision, installedRevision, customCi }: UpdateContent): string =>
  [
    'This pull request brings the workflow files that Shipgate manages to their newest revision:',
    '',
    ...files.map((path) => `- \`${path}\`: ${PURPOSES[path] ?? 'belongs to it'}`),
    ...(customCi ? [`- \`${CI_WORKFLOW}\` is left alone: CI is your own here`] : []),
    '',
    'Nothing else changes: neither `sdlc.yaml` nor the rulesets nor how far the repository is set up.',
    'Commit nothing on top: what is merged must be exactly what Shipgate published, or it counts as tampering.',
    '',
    `Revision \`${revision}\`, after ${installedRevision === null ? 'files of no known revision' : `\`${installedRevision}\``}.`,
  ].join('\n');
