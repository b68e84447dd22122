import { readFileSync } from 'node:fs';
import path from 'node:path';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { examplesOf } from './guide-examples.js';

const read = (file: string): string => readFileSync(path.join('integrations', file), 'utf8');

describe('the examples of the guide', () => {
  interface Use {
    readonly given: readonly string[];
    readonly described: readonly string[];
    /** The inputs without a default. */
    readonly needed: readonly string[];
  }
  type Inputs = Readonly<Record<string, { readonly default?: unknown } | null>>;

  const useOf = (given: object, inputs: Inputs): Use => ({
    given: Object.keys(given),
    described: Object.keys(inputs),
    needed: Object.keys(inputs).filter((name) => inputs[name]?.default === undefined),
  });
  /** Requires both commands, with existing inputs and all required ones. */
  const expectUses = (uses: readonly Use[]): void => {
    expect(uses).toHaveLength(2);
    for (const { given, described, needed } of uses) {
      expect(described).toEqual(expect.arrayContaining([...given]));
      expect(given).toEqual(expect.arrayContaining([...needed]));
    }
  };

  it('are workflows that GitHub accepts', async () => {
    const uses: Use[] = [];
    for (const content of examplesOf('GitHub Actions')) {
      const { context, value } = parseWorkflow({ name: 'a.yml', content }, new NoOperationTraceWriter());
      if (value) await convertWorkflowTemplate(context, value);
      expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
      const { jobs } = parse(content) as {
        readonly jobs: Readonly<Record<string, { readonly steps: readonly { uses?: string; with?: object }[] }>>;
      };
      for (const { uses: action, with: given = {} } of Object.values(jobs).flatMap(({ steps }) => steps)) {
        const [, file] = /^<owner>\/shipgate\/(.*)@<commit>$/.exec(action ?? '') ?? [];
        if (file === undefined) continue;
        uses.push(useOf(given, (parse(readFileSync(`${file}/action.yml`, 'utf8')) as { inputs: Inputs }).inputs));
      }
    }
    expectUses(uses);
  });

  it('include templates of GitLab with their inputs', () => {
    const [block = ''] = examplesOf('GitLab CI/CD');
    const { include } = parse(block) as { readonly include: readonly { remote: string; inputs: object }[] };
    expectUses(
      include.map(({ remote, inputs }) => {
        const [header] = parseAllDocuments(readFileSync(remote.split('<commit>/')[1] ?? '', 'utf8'));
        const { spec } = (header?.toJS() ?? {}) as { readonly spec?: { readonly inputs: Inputs } };
        return useOf(inputs, spec?.inputs ?? {});
      }),
    );
  });

  it('call the steps of the shared library of Jenkins with their options', () => {
    const [block = ''] = examplesOf('Jenkins');
    expectUses(
      [...block.matchAll(/(shipgate(?:Upload|Deploy))\((.*)\)/g)].map(([, name = '', options = '']) => {
        const text = read(`jenkins/vars/${name}.groovy`);
        return {
          given: [...options.matchAll(/(\w+): /g)].map(([, option = '']) => option),
          described: [...text.matchAll(/^ \* (\w+): /gm)].map(([, option = '']) => option),
          needed: [...(/def missing = \[(.*?)\]/.exec(text)?.[1] ?? '').matchAll(/\w+/g)].map(([option]) => option),
        };
      }),
    );
  });

  it('call the commands of the orb of CircleCI with their parameters', () => {
    const [block = ''] = examplesOf('CircleCI');
    const { jobs } = parse(block) as {
      readonly jobs: Readonly<
        Record<string, { readonly steps: readonly (string | Readonly<Record<string, object>>)[] }>
      >;
    };
    const { commands } = parse(read('circleci/orb.yml')) as {
      readonly commands: Readonly<Record<string, { readonly parameters: Inputs }>>;
    };
    const steps = Object.values(jobs).flatMap(({ steps: of }) =>
      of.flatMap((step) => (typeof step === 'string' ? [] : Object.entries(step))),
    );
    expectUses(
      steps
        .filter(([name]) => name.startsWith('shipgate/'))
        .map(([name, given]) => useOf(given, commands[name.replace('shipgate/', '')]?.parameters ?? {})),
    );
  });

  it('use the templates of Azure Pipelines with their parameters', () => {
    const [block = ''] = examplesOf('Azure Pipelines');
    const { stages } = parse(block) as {
      readonly stages: readonly {
        readonly jobs: readonly { readonly steps: readonly { template?: string; parameters?: object }[] }[];
      }[];
    };
    const steps = stages.flatMap(({ jobs }) => jobs.flatMap((job) => job.steps));
    expectUses(
      steps.flatMap(({ template, parameters = {} }) => {
        if (template === undefined) return [];
        const file = readFileSync(template.replace('@shipgate', ''), 'utf8');
        const described = (parse(file) as { readonly parameters: readonly { name: string; default?: string }[] })
          .parameters;
        return [useOf(parameters, Object.fromEntries(described.map((parameter) => [parameter.name, parameter])))];
      }),
    );
  });
});
