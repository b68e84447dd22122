import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { Ajv, type AnySchemaObject } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { examplesOf } from './guide-examples.js';

const read = (file: string): string => readFileSync(path.join('integrations', file), 'utf8');

/** Returns the errors that the schema of a CI system finds in a configuration file. */
function problemsOf(schema: string, text: string): readonly string[] {
  const file = readFileSync(`test/fixtures/ci-schemas/${schema}.json`, 'utf8');
  // Ajv rejects the names of older drafts. For these schemas the drafts do not differ.
  const { $schema: _draft, ...rules } = JSON.parse(file) as AnySchemaObject;
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false }).compile(
    rules,
  );
  const documents =
    schema === 'gitlab-ci' ? parseAllDocuments(text).map((document) => document.toJS() as unknown) : [parse(text)];
  return documents.flatMap((document) => {
    if (validate(document) === true) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
  });
}

const GITLAB = (command: string): string =>
  // GitLab replaces an input in a list before it reads the job.
  read(`gitlab/templates/${command}.yml`).replace(/(needs|dependencies): .*inputs\.\1.*/, '$1: [tests]');
const CIRCLECI = (examplesOf('CircleCI')[0] ?? '').replace('<owner>', 'acme');

/** Each file with its schema, and with an error that the schema must find. */
it.each<[string, string, string, string, string]>([
  ['upload for GitLab', 'gitlab-ci', GITLAB('upload'), 'type: array', 'type: list'],
  ['gate for GitLab', 'gitlab-ci', GITLAB('gate'), 'stage: ', 'stages: '],
  ['deploy for GitLab', 'gitlab-ci', GITLAB('deploy'), 'environment: ', 'environments: '],
  ['upload for Buildkite', 'buildkite', read('buildkite/upload.yml'), 'commands:', 'comands:'],
  ['gate for Buildkite', 'buildkite', read('buildkite/gate.yml'), 'depends_on:', 'needs:'],
  ['deploy for Buildkite', 'buildkite', read('buildkite/deploy.yml'), 'commands:', 'comands:'],
  ['upload for Azure Pipelines', 'azure-pipelines', read('azure/upload.yml'), 'condition:', 'if:'],
  ['gate for Azure Pipelines', 'azure-pipelines', read('azure/gate.yml'), '- bash:', '- run:'],
  ['deploy for Azure Pipelines', 'azure-pipelines', read('azure/deploy.yml'), '- bash:', '- run:'],
  ['the orb of CircleCI', 'circleci', read('circleci/orb.yml'), 'when: always', 'when: ever'],
  ['the example for GitLab', 'gitlab-ci', examplesOf('GitLab CI/CD')[0] ?? '', 'include:', 'stages:'],
  ['the example for CircleCI', 'circleci', CIRCLECI, 'version: 2.1', 'version: 3'],
  ['the example for Buildkite', 'buildkite', examplesOf('Buildkite')[0] ?? '', 'depends_on: shipgate-gate', 'needs: x'],
  ['the example for Azure Pipelines', 'azure-pipelines', examplesOf('Azure Pipelines')[0] ?? '', '- job:', '- jobs:'],
])('%s is valid by the schema of its CI system, and a mistake in it is not', (_, schema, text, right, wrong) => {
  expect(problemsOf(schema, text)).toEqual([]);
  const mistaken = text.replace(right, wrong);
  expect(mistaken).not.toBe(text);
  expect(problemsOf(schema, mistaken)).not.toEqual([]);
});
