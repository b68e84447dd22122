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

describe('the files of a workflow update', () => {
  it.each<[string, readonly ExistingWorkflow[], readonly string[], readonly string[]]>([
    [
      'none when both files are current',
      [current(CI_WORKFLOW), current(ENFORCE_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [],
    ],
    ['both files when both are older', BOTH_OUTDATED, [CI_WORKFLOW, ENFORCE_WORKFLOW], [CI_WORKFLOW, ENFORCE_WORKFLOW]],
    [
      'only the older file',
      [current(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      "only the enforcement workflow when the CI file is the team's own",
      [foreign(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)],
      [ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      'only the enforcement workflow when there is no CI file',
      [outdated(ENFORCE_WORKFLOW)],
      [ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      'none when CI is custom and the enforcement workflow is current',
      [current(ENFORCE_WORKFLOW)],
      [ENFORCE_WORKFLOW],
      [],
    ],
    [
      'the enforcement workflow when it was changed',
      [current(CI_WORKFLOW), foreign(ENFORCE_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
    [
      'the enforcement workflow when it was removed',
      [current(CI_WORKFLOW)],
      [CI_WORKFLOW, ENFORCE_WORKFLOW],
      [ENFORCE_WORKFLOW],
    ],
  ])('replaces %s', (_, present, managed, replaced) => {
    const decided = decideWorkflowUpdate(facts({ present }));
    expect(decided.managedFiles).toEqual(managed);
    expect(decided.outdatedFiles).toEqual(replaced);
    expect(decided.status).toBe(replaced.length === 0 ? 'UP_TO_DATE' : 'UPDATE_AVAILABLE');
  });
});

describe('the installed revision', () => {
  it.each<[string, readonly ExistingWorkflow[], string | null]>([
    ['is the current one when no file is outdated', [current(CI_WORKFLOW), current(ENFORCE_WORKFLOW)], 'new'],
    [
      'is the current one for a custom CI, too, though the file is older than the revision',
      [{ path: ENFORCE_WORKFLOW, blobSha: 'gate-new', published: { revision: 'old', publishedAt: FIRST } }],
      'new',
    ],
    [
      'is the revision of the newest file',
      [outdated(CI_WORKFLOW, FIRST, 'older'), outdated(ENFORCE_WORKFLOW, SECOND, 'old')],
      'old',
    ],
    [
      'is unknown when the enforcement workflow is not published by the service',
      [current(CI_WORKFLOW), foreign(ENFORCE_WORKFLOW)],
      null,
    ],
    ['is unknown when the enforcement workflow is missing', [current(CI_WORKFLOW)], null],
    [
      'ignores a CI file that is not published by the service',
      [foreign(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)],
      'old',
    ],
  ])('%s', (_, present, revision) => {
    expect(decideWorkflowUpdate(facts({ present })).installedRevision).toBe(revision);
  });
});

describe('a branch that proposes the update', () => {
  it.each<[string, WorkflowUpdateFacts['branch'], boolean]>([
    ['contains every file', WHOLE, true],
    ['misses a file', PARTIAL, false],
    ['contains another change', MORE, false],
    ['does not exist', null, false],
  ])('%s', (_, branch, isProposed) => {
    expect(decideWorkflowUpdate(facts({ branch })).isProposed).toBe(isProposed);
  });

  it("must not change a CI file that became the team's own", () => {
    const present = [foreign(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)];
    expect(decideWorkflowUpdate(facts({ present, branch: WHOLE })).isProposed).toBe(false);
    expect(decideWorkflowUpdate(facts({ present, branch: PARTIAL })).isProposed).toBe(true);
  });

  it('need not contain a file that is current already', () => {
    const present = [current(CI_WORKFLOW), outdated(ENFORCE_WORKFLOW)];
    expect(decideWorkflowUpdate(facts({ present, branch: PARTIAL })).isProposed).toBe(true);
  });
});

describe('the status of a workflow update', () => {
  it.each<[string, Partial<WorkflowUpdateFacts>, string]>([
    ['is UPDATE_AVAILABLE when nothing was proposed', {}, 'UPDATE_AVAILABLE'],
    ['is UPDATE_AVAILABLE when an earlier attempt left its branch', { branch: WHOLE }, 'UPDATE_AVAILABLE'],
    [
      'is UPDATE_AVAILABLE when the branch proposes less than the update',
      { branch: PARTIAL, pull: 'own' },
      'UPDATE_AVAILABLE',
    ],
    ['is PR_OPEN when the pull request of the service proposes the update', { branch: WHOLE, pull: 'own' }, 'PR_OPEN'],
    ['is PR_OPEN also when the app may not write', { branch: WHOLE, pull: 'own', mayWrite: false }, 'PR_OPEN'],
    [
      'is CONFLICT when the pull request of that branch is not from the service',
      { branch: WHOLE, pull: 'foreign' },
      'CONFLICT',
    ],
    ['is CONFLICT when the branch has other changes', { branch: MORE }, 'CONFLICT'],
    [
      'is CONFLICT when a managed file differs on the branch',
      { branch: { files: [{ ...GATE_NEW, blobSha: 'weaker' }], filesComplete: true } },
      'CONFLICT',
    ],
    [
      'is CONFLICT when the branch removes a managed file',
      { branch: { files: [{ ...GATE_NEW, blobSha: null }], filesComplete: true } },
      'CONFLICT',
    ],
    [
      'is CONFLICT when GitHub does not list all changes of the branch',
      { branch: { ...WHOLE, filesComplete: false } },
      'CONFLICT',
    ],
    [
      'is UPDATE_AVAILABLE when the branch changes nothing',
      { branch: { files: [], filesComplete: true } },
      'UPDATE_AVAILABLE',
    ],
    [
      "is CONFLICT when the branch has other changes and the service's pull request is open",
      { branch: MORE, pull: 'own' },
      'CONFLICT',
    ],
    ['is PAT_REQUIRED when the app may not write workflows', { mayWrite: false }, 'PAT_REQUIRED'],
    ['is CONFLICT rather than PAT_REQUIRED', { mayWrite: false, branch: MORE }, 'CONFLICT'],
    [
      'is UP_TO_DATE with any content on any branch',
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
