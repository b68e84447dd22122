import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { AcmeFixture } from './acme-fixture.js';

let acme: AcmeFixture;

beforeEach(async () => {
  acme = await AcmeFixture.start();
});
afterEach(async () => {
  await acme.observed.sim.stop();
  expect(acme.observed.violations).toEqual([]);
});

it('sends an event for each change of a milestone and of its issues', () => {
  const { milestones, issues } = acme.repository;
  const milestone = milestones.create({ title: 'v1.0.0', description: 'First' });
  const issue = issues.create({ title: 'One', milestone });
  issues.assign(issue, acme.author);
  issues.unassign(issue, acme.author);
  issues.addLabel(issue, 'bug');
  issues.removeLabel(issue, 'bug');
  issues.edit(issue, { title: 'Uno', body: 'Now with a body' });
  issues.setMilestone(issue, null);
  issues.close(issue);
  issues.reopen(issue);
  issues.delete(issue);
  milestones.edit(milestone, { title: 'v1.0.1', dueOn: new Date('2030-01-01T00:00:00Z') });
  milestones.close(milestone);
  milestones.reopen(milestone);
  milestones.delete(milestone);
  const actions = (name: string) =>
    acme.events().flatMap((event) => (event.startsWith(name) ? [event.split('.')[1]] : []));
  expect(actions('milestone.')).toEqual(['created', 'edited', 'closed', 'opened', 'deleted']);
  expect(actions('issues.')).toEqual(
    ['opened', 'milestoned', 'assigned', 'unassigned', 'labeled', 'unlabeled', 'edited', 'demilestoned'].concat([
      'closed',
      'reopened',
      'deleted',
    ]),
  );
});

it('never reuses the number of a deleted milestone, and removes it from its issues', () => {
  const { milestones, issues } = acme.repository;
  const first = milestones.create({ title: 'v1.0.0' });
  const issue = issues.create({ title: 'One', milestone: first });
  milestones.delete(first);
  const second = milestones.create({ title: 'v1.0.0' });
  expect([first.number, second.number]).toEqual([1, 2]);
  expect(second.id).not.toBe(first.id);
  expect(issue.milestone).toBeNull();
});

it('sends an event for each change of a pull request, also of those that issues share', () => {
  const { repository, author, reviewer } = acme;
  repository.commit({ branch: 'feature', files: { a: 'a' }, author });
  const pull = repository.pulls.open({ head: 'feature', title: 'Add a', author });
  const team = acme.organization.createTeam('Ops', [reviewer]);
  repository.pulls.requestTeam(pull, team);
  repository.pulls.requestReviewer(pull, reviewer);
  repository.issues.setMilestone(pull.issue, repository.milestones.create({ title: 'v1.0.0' }));
  repository.issues.setMilestone(pull.issue, null);
  repository.issues.addLabel(pull.issue, 'x');
  repository.issues.assign(pull.issue, author);
  repository.issues.edit(pull.issue, { title: 'Add an a' });
  repository.createBranch('release/v1', repository.git.branchHead('main') ?? '');
  repository.pulls.changeBase(pull, 'release/v1');
  repository.pulls.close(pull);
  repository.pulls.reopen(pull);
  repository.pulls.merge(pull);
  repository.deleteBranch('feature');
  const received = acme.events().filter((event) => event.startsWith('pull_request.'));
  expect(received.map((event) => event.split('.')[1])).toEqual(
    ['opened', 'review_requested', 'review_requested', 'milestoned', 'demilestoned', 'labeled', 'assigned'].concat([
      'edited',
      'edited',
      'closed',
      'reopened',
      'closed',
    ]),
  );
  expect(acme.events()).toEqual(expect.arrayContaining(['create.', 'delete.', 'push.']));
});

it('requires for a merge what an active ruleset requires', () => {
  const { repository, author, reviewer } = acme;
  repository.rulesets.create({
    name: 'Two eyes',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [
      { type: 'pull_request', parameters: { required_approving_review_count: 1 } },
      { type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'Shipgate' }] } },
    ],
  });
  repository.commit({ branch: 'feature', files: { a: 'a' }, author });
  const pull = repository.pulls.open({ head: 'feature', title: 'Add a', author });
  expect(() => repository.pulls.merge(pull)).toThrow('At least 1 approving reviews are required.');
  repository.pulls.reviews.submit(pull, { by: reviewer, state: 'APPROVED' });
  expect(() => repository.pulls.merge(pull)).toThrow('Required status check "Shipgate" is expected.');
  repository.checkRuns.create({ sha: pull.headSha, name: 'Shipgate', app: acme.app, conclusion: 'success' });
  repository.pulls.merge(pull);
  expect(pull.mergedAt).not.toBeNull();
});

it('accepts a required check only from the named app, approvals only of the head, and no push that breaks the rules', () => {
  const { repository, author, reviewer, app, observed } = acme;
  const other = observed.sim.registerApp({ name: 'Impostor', owner: acme.organization });
  repository.rulesets.create({
    name: 'Strict',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH', 'refs/heads/release/**/*'] } },
    rules: [
      { type: 'deletion' },
      { type: 'non_fast_forward' },
      {
        type: 'pull_request',
        parameters: { required_approving_review_count: 1, dismiss_stale_reviews_on_push: true },
      },
      {
        type: 'required_status_checks',
        parameters: { required_status_checks: [{ context: 'Shipgate', integration_id: app.id }] },
      },
    ],
  });
  repository.commit({ branch: 'feature', files: { a: 'a' }, author });
  const pull = repository.pulls.open({ head: 'feature', title: 'Add a', author });
  repository.pulls.reviews.submit(pull, { by: reviewer, state: 'APPROVED' });
  repository.checkRuns.create({ sha: pull.headSha, name: 'Shipgate', app: other, conclusion: 'success' });
  expect(() => repository.pulls.merge(pull)).toThrow('Required status check "Shipgate" is expected.');
  repository.commit({ branch: 'feature', files: { a: 'b' }, author });
  expect(() => repository.pulls.merge(pull)).toThrow('At least 1 approving reviews are required.');
  for (const branch of ['main', 'release/v1', 'release/team/v1']) {
    expect(() => repository.rulesets.admitPush(branch, 'moved')).toThrow('through a pull request');
    expect(() => repository.rulesets.admitPush(branch, 'forced')).toThrow('Cannot force-push');
    expect(() => repository.rulesets.admitPush(branch, 'deleted')).toThrow('Cannot delete');
    expect(() => repository.rulesets.admitPush(branch, 'made')).not.toThrow();
  }
  expect(() => repository.rulesets.admitPush('releases/v1', 'forced')).not.toThrow();
});
