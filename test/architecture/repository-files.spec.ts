import { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const read = (path: string): string => readFileSync(path, 'utf8');

describe('the version of Node', () => {
  const [, image = ''] = /^ARG NODE_IMAGE=node:(\d+)-/m.exec(read('docker/Dockerfile')) ?? [];
  const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };

  it('is the same in the image, in .nvmrc and in the devcontainer', () => {
    expect(read('.nvmrc').trim()).toBe(image);
    expect(read('.devcontainer/devcontainer.json')).toContain(`typescript-node:${image}-`);
  });

  it('has in CI the oldest version that `engines` allows and the version of the image', () => {
    const { jobs } = parse(read('.github/workflows/ci.yml')) as {
      readonly jobs: {
        readonly checks: { readonly strategy: { readonly matrix: { readonly node: readonly string[] } } };
      };
    };
    const oldest = [...engines.node.matchAll(/\d+\.\d+/g)].map(([version]) => `${version}.0`);
    expect(oldest).toHaveLength(2);
    expect(jobs.checks.strategy.matrix.node).toEqual(expect.arrayContaining([...oldest, image]));
  });
});

const FOLDER = '.github/workflows';

describe.each(readdirSync(FOLDER))('the workflow %s', (name) => {
  const content = read(join(FOLDER, name));
  const { permissions, jobs } = parse(content) as {
    readonly permissions: unknown;
    readonly jobs: Readonly<Record<string, { readonly permissions?: unknown }>>;
  };

  it("passes GitHub's parser", async () => {
    const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
    if (value) await convertWorkflowTemplate(context, value);
    expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
  });

  it('pins each action to a commit and names its version', () => {
    for (const [line] of content.matchAll(/^.*\buses: [^.].*$/gm)) {
      expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('grants the permissions that each job states, and no other', () => {
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) expect(job.permissions).toBeDefined();
  });
});
