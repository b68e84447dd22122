import { describe, expect, it } from '@jest/globals';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from './managed-files.js';
import { decideWorkflowUpdate, type ExistingWorkflow, type WorkflowUpdateFacts } from './workflow-update.js';

const FIRST = new Date('2026-01-01T00:00:00Z');
const SECOND = new Date('2026-02-01T00:00:00Z');
const target: WorkflowUpdateFacts['target'] = {
  revision: 'new',
  files: [
    { path: CI_WORKFLOW, blobSha: 'ci-new' },
    { path: ENFORCE_WORKFLOW, blobSha: 'gate-new' },
  ],
};
const current = (path: string): ExistingWorkflow => ({
  path,
  blobSha: path === CI_WORKFLOW ? 'ci-new' : 'gate-new',
  published: { revision: 'new', publishedAt: SECOND },
});
const outdated = (path: string, publishedAt = FIRST, revision = 'old'): ExistingWorkflow => ({
  path,
  blobSha: 'old',
  published: { revision, publishedAt },
});
const foreign = (path: string): ExistingWorkflow => ({ path, blobSha: 'own', published: null });
const BOTH_OUTDATED = [outdated(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)];

const GATE_NEW = { path: ENFORCE_WORKFLOW, blobSha: 'gate-new' };
const WHOLE = { files: [{ path: CI_WORKFLOW, blobSha: 'ci-new' }, GATE_NEW], filesComplete: true };
const PARTIAL = { files: [GATE_NEW], filesComplete: true };
const MORE = { files: [...WHOLE.files, { path: 'src/a.ts', blobSha: 'a' }], filesComplete: true };

const facts = (known: Partial<WorkflowUpdateFacts> = {}): WorkflowUpdateFacts => ({
  target,
  present: BOTH_OUTDATED,
  branch: null,
  pull: 'none',
  mayWrite: true,
  ...known,
});

describe('what an update brings', () => {
  it.each<[string, readonly ExistingWorkflow[], readonly string[], readonly string[]]>([
    [
      'nothing where both files are those of now',
      [current(CI_WORKFLOW), current(ENFORCE_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [],
    ],
    [
      'both files where both are older',
      BOTH_OUTDATED,
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
    ],
    [
      'the one that is older',
      [current(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      'the enforcement alone where the CI file is none of the service’s',
      [foreign(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)],
      [ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      'the enforcement alone where there is no CI file',
      [outdated(ENFORCE_WORKFLOW)],
      [ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      'nothing where CI is custom and the enforcement is that of now',
      [current(ENFORCE_WORKFLOW)],
      [ENFORCE_WORKFLOW],
      [],
    ],
    [
      'the enforcement where somebody changed it',
      [current(CI_WORKFLOW), foreign(ENFORCE_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      'the enforcement where somebody removed it',
      [current(CI_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
  ])('is %s', (_, present, managed, replaced) => {
    const decided = decideWorkflowUpdate(facts({ present }));
    expect(decided.managedFiles).toEqual(managed);
    expect(decided.outdatedFiles).toEqual(replaced);
    expect(decided.status).toBe(replaced.length === 0 ? 'UP_TO_DATE' : 'UPDATE_AVAILABLE');
  });
});

describe('the installed revision', () => {
  it.each<[string, readonly ExistingWorkflow[], string | null]>([
    ['is that of now where nothing is outdated', [current(CI_WORKFLOW), current(ENFORCE_WORKFLOW)], 'new'],
    [
      'is that of now for a custom CI too, though the file is older than the revision',
      [{ path: ENFORCE_WORKFLOW, blobSha: 'gate-new', published: { revision: 'old', publishedAt: FIRST } }],
      'new',
    ],
    [
      'is the one that brought the newest of the files',
      [outdated(CI_WORKFLOW, FIRST, 'older'), outdated(ENFORCE_WORKFLOW, SECOND, 'old')],
      'old',
    ],
    [
      'is unknown where the enforcement is none of the service’s',
      [current(CI_WORKFLOW), foreign(ENFORCE_WORKFLOW)],
      null,
    ],
    ['is unknown where the enforcement is gone', [current(CI_WORKFLOW)], null],
    ['does not ask a CI file that is none of the service’s', [foreign(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)], 'old'],
  ])('%s', (_, present, revision) => {
    expect(decideWorkflowUpdate(facts({ present })).installedRevision).toBe(revision);
  });
});

describe('a branch that proposes the update', () => {
  it.each<[string, WorkflowUpdateFacts['branch'], boolean]>([
    ['brings all of it', WHOLE, true],
    ['lacks a file of it', PARTIAL, false],
    ['brings something besides', MORE, false],
    ['is not there', null, false],
  ])('%s', (_, branch, isProposed) => {
    expect(decideWorkflowUpdate(facts({ branch })).isProposed).toBe(isProposed);
  });

  it('must leave a CI alone that became the team’s own', () => {
    const present = [foreign(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)];
    expect(decideWorkflowUpdate(facts({ present, branch: WHOLE })).isProposed).toBe(false);
    expect(decideWorkflowUpdate(facts({ present, branch: PARTIAL })).isProposed).toBe(true);
  });

  it('need not bring what is up to date already', () => {
    const present = [current(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)];
    expect(decideWorkflowUpdate(facts({ present, branch: PARTIAL })).isProposed).toBe(true);
  });
});

describe('the status', () => {
  it.each<[string, Partial<WorkflowUpdateFacts>, string]>([
    ['an update is available where nothing was proposed', {}, 'UPDATE_AVAILABLE'],
    ['a branch that an earlier try left does not stand in the way', { branch: WHOLE }, 'UPDATE_AVAILABLE'],
    ['nor one that proposes less than there is to bring', { branch: PARTIAL, pull: 'own' }, 'UPDATE_AVAILABLE'],
    ['the open pull request is the one to merge', { branch: WHOLE, pull: 'own' }, 'PR_OPEN'],
    ['it is so also where nothing could be written now', { branch: WHOLE, pull: 'own', mayWrite: false }, 'PR_OPEN'],
    [
      'somebody else’s pull request of that branch is none of the service’s',
      { branch: WHOLE, pull: 'foreign' },
      'CONFLICT',
    ],
    ['a branch with somebody else’s changes is not overwritten', { branch: MORE }, 'CONFLICT'],
    [
      'nor is one on which a managed file is another one',
      { branch: { files: [{ ...GATE_NEW, blobSha: 'weaker' }], filesComplete: true } },
      'CONFLICT',
    ],
    [
      'nor one that removes a managed file',
      { branch: { files: [{ ...GATE_NEW, blobSha: null }], filesComplete: true } },
      'CONFLICT',
    ],
    [
      'nor one whose changes the host does not list in full',
      { branch: { ...WHOLE, filesComplete: false } },
      'CONFLICT',
    ],
    ['one that changes nothing may be written to', { branch: { files: [], filesComplete: true } }, 'UPDATE_AVAILABLE'],
    ['nor is it where the service’s pull request is open', { branch: MORE, pull: 'own' }, 'CONFLICT'],
    ['a token is needed where the app may not write workflows', { mayWrite: false }, 'PAT_REQUIRED'],
    ['a conflict is told before a token is asked for', { mayWrite: false, branch: MORE }, 'CONFLICT'],
    [
      'what is up to date is so whatever lies on any branch',
      {
        present: [current(CI_WORKFLOW), current(ENFORCE_WORKFLOW)],
        branch: MORE,
        pull: 'foreign',
        mayWrite: false,
      },
      'UP_TO_DATE',
    ],
  ])('%s', (_, known, status) => {
    expect(decideWorkflowUpdate(facts(known)).status).toBe(status);
  });
});
