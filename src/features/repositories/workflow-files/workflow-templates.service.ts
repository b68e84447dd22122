import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { CiAction } from '../../../config/value-parsers.js';
import { gitBlobSha, sha256 } from '../../../crypto/digests.js';
import type { TemplateFile } from '../../../domain/repository/bootstrap.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';

interface Template {
  readonly path: string;
  readonly source: string;
  /** The job that has two forms: with shell scripts, or with the action of `CI_ACTION`. */
  readonly job: string;
}

const TEMPLATES: readonly Template[] = [
  { path: CI_WORKFLOW, source: 'shipgate-ci.yml', job: 'evidence-job' },
  { path: ENFORCE_WORKFLOW, source: 'shipgate-enforce.yml', job: 'gate-job' },
];

/** Length of a revision: long enough to be unique, short enough for a branch name. */
const REVISION_DIGITS = 16;

/** Renders the workflow files that the service installs. They are identical for every repository. */
@Injectable()
export class WorkflowTemplatesService {
  /** A digest of all files. */
  readonly revision: string;
  /** The action that the files use; null if they have only shell scripts and actions of GitHub. */
  readonly action: CiAction | null;
  private readonly workflows: readonly TemplateFile[];

  constructor(@Inject(ENVIRONMENT) { baseUrl, oidcAudience, ciAction }: Environment) {
    this.action = ciAction;
    const values = { BASE_URL: JSON.stringify(baseUrl), AUDIENCE: JSON.stringify(oidcAudience) };
    this.workflows = TEMPLATES.map(({ path, source, job }) => {
      const content = fillTemplate(withJob(source, job, ciAction), values);
      return { path, content, blobSha: gitBlobSha(content) };
    });
    const names = this.workflows.map(({ path, blobSha }) => `${path} ${blobSha}\n`);
    this.revision = sha256(names.join('')).slice(0, REVISION_DIGITS);
  }

  files(): readonly TemplateFile[] {
    return this.workflows;
  }
}

const read = (name: string): string => readFileSync(new URL(`./templates/${name}`, import.meta.url), 'utf8');

/** Inserts the job that has two forms at its place. Each form is a document of its own, so that tools can read it. */
function withJob(source: string, job: string, action: CiAction | null): string {
  const form = read(`${job}.${action === null ? 'shell' : 'action'}.yml`).replace(/^jobs:\n/, '');
  const place = `  # __${job.toUpperCase().replace('-', '_')}__\n`;
  const text = read(source).replace(place, () => form);
  return action === null
    ? text
    : fillTemplate(text, { ACTION: action.repository, COMMIT: action.commit, VERSION: action.version });
}

/** Inserts the values. Those that may have any characters are JSON strings, which are valid YAML. */
const fillTemplate = (template: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`__${name}__`, () => value), template);
