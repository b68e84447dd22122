import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readTestEnvironment } from '../../../../test/support/read-test-environment.js';
import { gitBlobSha } from '../../../crypto/digests.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';

const at = (variables: Readonly<Record<string, string>> = {}): WorkflowTemplatesService =>
  new WorkflowTemplatesService(readTestEnvironment({ BASE_URL: 'https://shipgate.example', ...variables }));

describe('the workflow files', () => {
  it('contain both files with the git hashes of their content', () => {
    const files = at().files();
    expect(files.map(({ path }) => path)).toEqual([CI_WORKFLOW, ENFORCE_WORKFLOW]);
    for (const { content, blobSha } of files) expect(blobSha).toBe(gitBlobSha(content));
  });

  it('speak to this service, with the audience that it expects', () => {
    const [ci, enforce] = at({ OIDC_AUDIENCE: "gate: of 'acme'" }).files();
    const expected = { SHIPGATE_URL: 'https://shipgate.example', SHIPGATE_AUDIENCE: "gate: of 'acme'" };
    expect((parse(ci?.content ?? '') as { jobs: { evidence: { env: unknown } } }).jobs.evidence.env).toEqual(expected);
    expect((parse(enforce?.content ?? '') as { env: unknown }).env).toEqual(expected);
  });

  it('leave no blank unfilled', () => {
    for (const { content } of at().files()) expect(content).not.toMatch(/__[A-Z_]+__/);
  });

  it('are another revision if they differ, and the same one otherwise', () => {
    expect(at().revision).toMatch(/^[0-9a-f]{16}$/);
    expect(at().revision).toBe(at().revision);
    expect(at({ BASE_URL: 'https://other.example' }).revision).not.toBe(at().revision);
  });
});
