import { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it } from '@jest/globals';
import {
  CI_ACTION,
  publishedWorkflows,
  type StatedJob,
  type StatedStep,
  type WorkflowDocument,
} from './workflow-document.js';

/**
 * The errors that GitHub's own parser finds in a workflow: in its form, its expressions, and the dependencies of its
 * jobs.
 */
async function problemsOf(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

const jobsOf = ({ stated }: WorkflowDocument): readonly (readonly [string, StatedJob])[] => Object.entries(stated.jobs);
const stepsOf = (document: WorkflowDocument): readonly StatedStep[] =>
  jobsOf(document).flatMap(([, { steps }]) => steps);

const FORMS = [
  ...publishedWorkflows().map((document) => ({ form: 'with shell scripts', foreign: [], document })),
  ...publishedWorkflows({ CI_ACTION }).map((document) => ({
    form: 'with the actions of Shipgate',
    foreign: [`acme/shipgate/action/${document.path.endsWith('shipgate-ci.yml') ? 'upload' : 'gate'}`],
    document,
  })),
];

describe.each(FORMS)('the workflow file $document.path $form', ({ document, foreign }) => {
  it('is accepted by GitHub', async () => {
    expect(await problemsOf(document.path, document.text)).toEqual([]);
  });

  it('uses only actions of GitHub and the one that is set, by their full commits, with their versions', () => {
    const used = document.text.split('\n').filter((line) => /^\s*(?:- )?uses:/.test(line));
    expect(used).toHaveLength(stepsOf(document).filter(({ uses }) => uses !== undefined).length);
    const names = used.map((line) => /uses: ([\w./-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.exec(line)?.[1] ?? line);
    expect(names.filter((name) => !/^actions\/[a-z-]+$/.test(name))).toEqual(foreign);
  });

  it('has only the permissions that single jobs state', () => {
    expect(document.stated.permissions).toEqual({});
    for (const [, { permissions }] of jobsOf(document)) expect(permissions).toBeDefined();
  });

  it('lets no job with an identity run code of the repository', () => {
    const identified = jobsOf(document).filter(([, { permissions }]) => permissions?.['id-token'] !== undefined);
    expect(identified.length).toBeGreaterThan(0);
    for (const [, { permissions, steps }] of identified) {
      expect(permissions).not.toHaveProperty('contents');
      expect(steps.some(({ uses }) => uses?.startsWith('actions/checkout@'))).toBe(false);
    }
  });

  it('passes foreign text to a script as a variable, never in its text', () => {
    const scripts = stepsOf(document).flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).not.toContain('${{');
  });

  it('ends by itself, and stops at the first command that fails', () => {
    for (const [, job] of jobsOf(document)) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    for (const { run, shell } of stepsOf(document)) {
      if (run === undefined) continue;
      expect(shell).toBe('bash');
      expect(run).toMatch(/^set -euo pipefail\n/);
    }
  });

  it('limits and retries every call', () => {
    for (const { run = '' } of stepsOf(document)) {
      for (const call of run.match(/\bcurl [^\n]*/g) ?? []) {
        expect(call).toMatch(/--retry 5 --retry-all-errors --retry-max-time \d+ --connect-timeout 10 --max-time \d+/);
      }
    }
  });
});

describe('a workflow that GitHub rejects', () => {
  it.each([
    ['a key that there is not', 'on: push\njobs: { a: { runs-on: x, needs-nobody: [], steps: [{ run: a }] } }'],
    ['an expression of nothing', 'on: push\njobs: { a: { runs-on: x, steps: [{ run: "${{ nothing.here }}" }] } }'],
    ['a need of no job', 'on: push\njobs: { a: { runs-on: x, needs: b, steps: [{ run: a }] } }'],
    ['a permission that there is not', 'on: push\npermissions: { everything: write }\njobs: { a: { runs-on: x } }'],
  ])('is reported: %s', async (_, content) => {
    expect(await problemsOf('broken.yml', content)).not.toEqual([]);
  });
});
