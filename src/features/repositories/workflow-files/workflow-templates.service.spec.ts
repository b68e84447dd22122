import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readTestEnvironment } from '../../../../test/support/read-test-environment.js';
import { gitBlobSha } from '../../../crypto/digests.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import { WorkflowTemplatesService } from './workflow-templates.service.js';

interface Job {
  readonly permissions: object;
  readonly steps: readonly object[];
}

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const CI_ACTION = `acme/shipgate@${COMMIT}#v1.2.0`;

const at = (variables: Readonly<Record<string, string>> = {}): WorkflowTemplatesService =>
  new WorkflowTemplatesService(readTestEnvironment({ BASE_URL: 'https://shipgate.example', ...variables }));

describe('the workflow files', () => {
  it('contain both files with the git hashes of their content', () => {
    const files = at().files();
    expect(files.map(({ path }) => path)).toEqual([CI_WORKFLOW, ENFORCE_WORKFLOW]);
    for (const { content, blobSha } of files) expect(blobSha).toBe(gitBlobSha(content));
  });

  it('call this service with the audience that it expects', () => {
    const [ci, enforce] = at({ OIDC_AUDIENCE: "gate: of 'acme'" }).files();
    const expected = { SHIPGATE_URL: 'https://shipgate.example', SHIPGATE_AUDIENCE: "gate: of 'acme'" };
    expect((parse(ci?.content ?? '') as { jobs: { evidence: { env: unknown } } }).jobs.evidence.env).toEqual(expected);
    expect((parse(enforce?.content ?? '') as { env: unknown }).env).toEqual(expected);
  });

  it.each<Readonly<Record<string, string>>>([{}, { CI_ACTION }])('contain no placeholder (%j)', (variables) => {
    for (const { content } of at(variables).files()) expect(content).not.toMatch(/__[A-Z_]+__/);
  });

  it('use the actions that are set, in the jobs that call Shipgate for CI', () => {
    const expected = { url: 'https://shipgate.example', audience: "gate: of 'acme'" };
    const [ci, enforce] = at({ CI_ACTION, OIDC_AUDIENCE: expected.audience })
      .files()
      .map(({ content }) => parse(content) as { readonly jobs: Readonly<Record<string, Job>> });
    for (const [step, name] of [
      [ci?.jobs['evidence']?.steps.at(-1), 'upload'],
      [enforce?.jobs['gate']?.steps.at(-1), 'gate'],
    ] as const) {
      expect(step).toMatchObject({ uses: `acme/shipgate/action/${name}@${COMMIT}`, with: expected });
    }
    expect(ci?.jobs['evidence']?.permissions).toEqual({ 'id-token': 'write' });
    const [ciShell, enforceShell] = at({ OIDC_AUDIENCE: expected.audience })
      .files()
      .map(({ content }) => parse(content) as { readonly jobs: Readonly<Record<string, Job>> });
    expect([ci?.jobs['test'], enforce?.jobs['rules']]).toEqual([ciShell?.jobs['test'], enforceShell?.jobs['rules']]);
  });

  it('have another revision only if they differ', () => {
    expect(at().revision).toMatch(/^[0-9a-f]{16}$/);
    expect(at().revision).toBe(at().revision);
    const others = [{ BASE_URL: 'https://other.example' }, { CI_ACTION }, { CI_ACTION: CI_ACTION.replace('v1', 'v2') }];
    expect(new Set([at(), ...others.map((variables) => at(variables))].map(({ revision }) => revision)).size).toBe(4);
  });
});
