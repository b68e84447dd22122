import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { gitBlobSha, sha256 } from '../../../crypto/digests.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';

/** The current version of a managed workflow file. */
export interface ManagedWorkflow {
  readonly path: string;
  readonly content: string;
  readonly blobSha: Sha;
}

const TEMPLATES: readonly { readonly path: string; readonly source: URL }[] = [
  { path: CI_WORKFLOW, source: new URL('./templates/shipgate-ci.yml', import.meta.url) },
  { path: ENFORCE_WORKFLOW, source: new URL('./templates/shipgate-enforce.yml', import.meta.url) },
];

/** Length of a revision: long enough to be unique, short enough for a branch name. */
const REVISION_DIGITS = 16;

/** Renders the workflow files that the service installs. They are identical for every repository. */
@Injectable()
export class WorkflowTemplatesService {
  /** A digest of all files. */
  readonly revision: string;
  private readonly workflows: readonly ManagedWorkflow[];

  constructor(@Inject(ENVIRONMENT) { baseUrl, oidcAudience }: Environment) {
    this.workflows = TEMPLATES.map(({ path, source }) => {
      const content = fillTemplate(readFileSync(source, 'utf8'), { BASE_URL: baseUrl, AUDIENCE: oidcAudience });
      return { path, content, blobSha: gitBlobSha(content) };
    });
    const names = this.workflows.map(({ path, blobSha }) => `${path} ${blobSha}\n`);
    this.revision = sha256(names.join('')).slice(0, REVISION_DIGITS);
  }

  files(): readonly ManagedWorkflow[] {
    return this.workflows;
  }
}

/** Inserts the values as JSON strings, which are valid YAML. */
const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`__${name}__`, () => JSON.stringify(value)),
    template,
  );
