import { describe, expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { WebhookValidator, type WebhookSchemas } from './webhook-validator.js';

const require = createRequire(import.meta.url);
const validator = new WebhookValidator(require('@octokit/webhooks-schemas/schema.json') as WebhookSchemas);
const published = require('@octokit/webhooks-examples') as readonly { name: string; examples: readonly object[] }[];

const HANDLED =
  'installation installation_repositories repository milestone issues pull_request pull_request_review push create ' +
  'delete check_run check_suite workflow_job workflow_run deployment_status release branch_protection_rule organization member ' +
  'membership team status';

/** The published payloads that are as GitHub sends them today: a few were recorded before it added properties. */
const currentExamples = (event: string): readonly object[] => {
  const examples = published.find(({ name }) => name === event)?.examples ?? [];
  return examples.filter((example) => validator.check(event, example).length === 0);
};

describe('WebhookValidator', () => {
  it.each(HANDLED.split(' '))('accepts published payloads of %s', (event) => {
    expect(currentExamples(event).length).toBeGreaterThan(0);
  });

  it('checks with GitHub’s description what the published schemas omit', () => {
    const [{ repository, sender }] = currentExamples('milestone') as [Record<string, unknown>];
    const ruleset = { id: 9, name: 'main', target: 'branch', source: 'acme/payments', enforcement: 'active' };
    const payload = { action: 'created', repository_ruleset: ruleset, repository, sender };
    expect(validator.check('repository_ruleset', payload)).toEqual([]);
    expect(
      validator.check('repository_ruleset', { ...payload, repository_ruleset: { ...ruleset, id: 'nine' } }),
    ).toEqual([{ event: 'repository_ruleset.created', detail: '/repository_ruleset/id must be integer' }]);
  });

  it.each([
    [
      'an event that GitHub does not have',
      'milestones',
      {},
      { event: 'milestones.closed', detail: 'is no event of GitHub' },
    ],
    [
      'an action of another event',
      'milestone',
      { action: 'submitted' },
      { event: 'milestone.submitted', detail: 'is no event of GitHub' },
    ],
    [
      'a missing part',
      'milestone',
      { milestone: undefined },
      { event: 'milestone.closed', detail: "must have required property 'milestone'" },
    ],
    [
      'a part of another type',
      'milestone',
      { sender: 'ada' },
      { event: 'milestone.closed', detail: '/sender must be object' },
    ],
    [
      'a part that GitHub does not send',
      'milestone',
      { release: {} },
      { event: 'milestone.closed', detail: 'must NOT have additional properties ("release")' },
    ],
    [
      'a wrong value of an event without actions',
      'push',
      { forced: 'no' },
      { event: 'push', detail: '/forced must be boolean' },
    ],
  ])('finds %s', (_, event, change, violation) => {
    const [example] = currentExamples(event === 'push' ? 'push' : 'milestone');
    const payload = JSON.parse(JSON.stringify({ ...example, ...change })) as object;
    expect(validator.check(event, payload)).toEqual([violation]);
  });
});
