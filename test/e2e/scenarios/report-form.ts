import { junit } from '../../support/ci-run-client.js';
import type { TestEnvironment } from '../../support/test-environment.js';

export interface SentFile {
  readonly filename: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

export interface FormAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A file of an upload, as the API returns it. */
export interface ReportJson {
  readonly id: string;
  readonly name: string;
  readonly format: string;
  readonly sha256: string;
  readonly size: number;
  readonly url: string;
}

export const PASSING_REPORT: SentFile = { filename: 'junit.xml', content: junit(2) };
export const PAGE: SentFile = { filename: 'index.html', content: '<!doctype html><h1>All green</h1>' };

export const VERSION = 'v1.0.0';
let pipelines = 0;

/** The fields of a form. Each has its own pipeline, so no form repeats another. */
export const fieldsOf = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  repo: 'payments',
  version: VERSION,
  pipeline: `pipeline ${(pipelines += 1)}`,
  ...more,
});

/** A form as fetch builds it: fields first, then the files. */
export function formOf(
  fields: Readonly<Record<string, string>>,
  files: readonly SentFile[] = [PASSING_REPORT],
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { filename, content } of files) form.append('file', new Blob([content]), filename);
  return form;
}

/** Posts a form, or bytes with the content type of a form. */
export async function postForm(
  env: TestEnvironment,
  bearer: string | null,
  body: FormData | Uint8Array<ArrayBuffer> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<FormAnswer> {
  const response = await fetch(`${env.baseUrl}/api/evidence/upload-report`, {
    method: 'POST',
    headers: { ...(bearer !== null && { authorization: `Bearer ${bearer}` }), ...headers },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as FormAnswer['body'],
  };
}
