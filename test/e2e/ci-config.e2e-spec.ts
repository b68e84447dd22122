import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_VERSION } from '../../src/config/service-version.js';
import { TestEnvironment } from '../support/test-environment.js';
import { fieldsOf, formOf, postForm } from './scenarios/report-form.js';

const MEGABYTE = 1_048_576;

describe('the configuration for CI clients', () => {
  let env: TestEnvironment;

  beforeAll(async () => {
    env = await TestEnvironment.start({
      OIDC_AUDIENCE: 'release-gate',
      MAX_FILE_BYTES: '2MB',
      MAX_UPLOAD_BYTES: '3MB',
    });
    env.github.createRepository(env.organization, { name: 'payments' }).milestones.create({ title: 'v1.0.0' });
    await env.install();
  });
  afterAll(() => env.stop());

  const read = async (): Promise<{ readonly headers: Headers; readonly body: Record<string, unknown> }> => {
    const response = await fetch(`${env.baseUrl}/api/config/ci`);
    return { headers: response.headers, body: (await response.json()) as Record<string, unknown> };
  };

  it('contains what the operator has set, and may be cached', async () => {
    const { headers, body } = await read();
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(body).toEqual({
      version: SERVICE_VERSION,
      audience: 'release-gate',
      issuer: env.issuer.url,
      upload_fields: expect.arrayContaining(['repo', 'version', 'job_total', 'format', 'file']),
      limits: {
        files: 500,
        file_bytes: 2 * MEGABYTE,
        upload_bytes: 3 * MEGABYTE,
        inflated_bytes: 50 * MEGABYTE,
      },
    });
  });

  it('lists exactly the fields that a form may have', async () => {
    const fields = (await read()).body['upload_fields'] as readonly string[];
    const api = (await fetch(`${env.baseUrl}/api/openapi.json`).then((answer) => answer.json())) as {
      readonly components: { readonly schemas: { readonly ReportUpload: { readonly properties: object } } };
    };
    expect(fields.toSorted()).toEqual(Object.keys(api.components.schemas.ReportUpload.properties).toSorted());
    const key = await env.key(['evidence:write']);
    const isUnknown = async (field: string): Promise<boolean> => {
      const { body } = await postForm(env, key, formOf({ ...fieldsOf(), [field]: '' }));
      return String(body['error']).includes(`${field} should not exist`);
    };
    expect(await isUnknown('shard')).toBe(true);
    for (const field of fields) if (field !== 'file') expect([field, await isUnknown(field)]).toEqual([field, false]);
  });

  it('is the same for every caller', async () => {
    const { body } = await read();
    const headers = { authorization: `Bearer ${await env.key(['gate:read'])}` };
    const response = await fetch(`${env.baseUrl}/api/config/ci`, { headers });
    expect(await response.json()).toEqual(body);
  });
});
