import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { readTestEnvironment } from '../../../../test/support/read-test-environment.js';
import { FixedClock } from '../../../../test/support/fixed-clock.js';
import { Database } from '../../../database/database.js';
import { toOrgId } from '../../../database/ids.js';
import type { JobsService } from '../../../jobs/jobs.service.js';
import type { FactsService } from '../../releases/facts/facts.service.js';
import { WorkflowFilesService } from './workflow-files.service.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const clock = new FixedClock(NOW);
const workflowsAt = (baseUrl: string): WorkflowTemplatesService =>
  new WorkflowTemplatesService(readTestEnvironment({ BASE_URL: baseUrl }));

let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  database = await Database.open({ url: test.appUrl });
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const repositoryOf = (workflows: WorkflowTemplatesService): WorkflowFilesService =>
  new WorkflowFilesService(database, workflows, clock, {} as JobsService, {} as FactsService);

const publish = (workflows: WorkflowTemplatesService): Promise<void> =>
  repositoryOf(workflows).onApplicationBootstrap();

describe('the published revisions', () => {
  it('are known by path and content, inside of a transaction and outside of one', async () => {
    const workflows = workflowsAt('https://first.example');
    const [ci, enforce] = workflows.files();
    const before = repositoryOf(workflows);
    expect(await before.isPublished(null, ci!.path, ci!.blobSha)).toBe(false);
    await publish(workflows);
    expect(await before.isPublished(null, ci!.path, ci!.blobSha)).toBe(true);
    const inTenant = await database.inTenant(toOrgId(randomUUID()), (tx) =>
      repositoryOf(workflows).findPublishedRevision(tx, enforce!.path, enforce!.blobSha),
    );
    expect(inTenant).toEqual({ revision: workflows.revision, publishedAt: NOW });
  });

  it('are not known for another path', async () => {
    const workflows = workflowsAt('https://first.example');
    await publish(workflows);
    const [ci, enforce] = workflows.files();
    expect(await repositoryOf(workflows).isPublished(null, ci!.path, enforce!.blobSha)).toBe(false);
  });

  it('keep their first revision when other files are published', async () => {
    const [first, second] = [workflowsAt('https://first.example'), workflowsAt('https://second.example')];
    await publish(first);
    clock.advance(60_000);
    await publish(second);
    await publish(first);
    const [ci] = first.files();
    const found = await repositoryOf(first).findPublishedRevision(null, ci!.path, ci!.blobSha);
    expect(found).toEqual({ revision: first.revision, publishedAt: NOW });
  });

  it('cannot be deleted or invented directly by the role of the service', async () => {
    const rejection = /permission denied/;
    await expect(database.pool.query('delete from published_workflow')).rejects.toThrow(rejection);
    await expect(database.pool.query('select from published_workflow')).rejects.toThrow(rejection);
    await expect(
      database.pool.query(`insert into published_workflow values ('a', repeat('a', 40), 'r', now())`),
    ).rejects.toThrow(rejection);
  });
});
