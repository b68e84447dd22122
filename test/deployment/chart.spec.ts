import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../../src/config/variables.js';
import { isInstalled } from './installed.js';
import { kubernetesProblems, type Manifest } from './kubernetes-problems.js';

const CHART = 'deploy/helm/shipgate';

const REQUIRED = {
  image: { repository: 'registry.example.com/shipgate' },
  baseUrl: 'https://releases.example.com',
  existingSecret: 'shipgate',
  migration: { existingSecret: 'shipgate-migration' },
};
const peer = (namespace: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
});
const EVERYTHING = {
  ...REQUIRED,
  image: { ...REQUIRED.image, digest: `sha256:${'0'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  config: { BILLING: 'off', MAX_CONNECTIONS_PER_ADDRESS: 999_999, TRUSTED_PROXIES: '10.1.2.3' },
  podAnnotations: { 'example.com/team': 'platform' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'important',
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/reports' } },
  service: { port: 8080, annotations: { 'example.com/a': 'b' } },
  ingress: { enabled: true, className: 'nginx', annotations: { 'example.com/c': 'd' }, tlsSecret: 'certificate' },
  networkPolicy: {
    ingressFrom: [peer('ingress')],
    metricsFrom: [peer('monitoring')],
    extraEgress: [{ ports: [{ port: 9000 }] }],
  },
};

interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
  readonly securityContext: object;
}
interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly securityContext: object; readonly containers: readonly [Container] };
}
interface Workload extends Manifest {
  readonly spec: { readonly template: Pod };
}
interface Policy extends Manifest {
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly ingress?: readonly { readonly from?: readonly object[] }[];
    readonly egress: readonly { readonly ports: readonly { readonly port: number }[] }[];
  };
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-chart-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function helm(
  command: readonly string[],
  values: object,
): { readonly output: string; readonly problem: string | null } {
  const file = path.join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const env = { ...process.env, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  const run = spawnSync('helm', [...command, CHART, '--values', file], { encoding: 'utf8', env });
  return { output: run.stdout, problem: run.status === 0 ? null : run.stderr + run.stdout };
}

function render(values: object): readonly Manifest[] {
  const { output, problem } = helm(['template', 'production'], values);
  if (problem !== null) throw new Error(problem);
  return parseAllDocuments(output).map((document) => document.toJS() as Manifest);
}

const workloads = (manifests: readonly Manifest[]) =>
  manifests.filter((manifest): manifest is Workload => ['Deployment', 'Job'].includes(manifest.kind));
const policies = (manifests: readonly Manifest[]) =>
  manifests.filter((manifest): manifest is Policy => manifest.kind === 'NetworkPolicy');

it('finds an unknown field and a wrong type deep in a manifest', () => {
  const manifest = (container: object) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'example' },
    spec: {
      selector: { matchLabels: {} },
      template: { spec: { containers: [{ name: 'a', image: 'b', ...container }] } },
    },
  });
  expect(kubernetesProblems([manifest({ securityContext: { runAsNonRoot: true } })])).toEqual([]);
  expect(kubernetesProblems([manifest({ securityContext: { runAsNonRot: true } })])).toEqual([
    expect.stringMatching(/^Deployment example: .*runAsNonRot.* does not exist/),
  ]);
  expect(kubernetesProblems([manifest({ ports: [{ containerPort: '3000' }] })])).toHaveLength(1);
});

(isInstalled('helm', 'the test of the chart') ? describe : describe.skip)('the chart', () => {
  it('passes the linter', () => {
    expect(helm(['lint', '--strict'], EVERYTHING).problem).toBeNull();
  });

  it.each([
    ['the required values', REQUIRED],
    ['every value', EVERYTHING],
  ])('renders manifests that contain only fields of Kubernetes, with %s', (_, values) => {
    expect(kubernetesProblems(render(values))).toEqual([]);
  });

  it('runs each process with the rights of the restricted profile, on a read-only root', () => {
    const pods = workloads(render(EVERYTHING)).map(({ spec }) => spec.template.spec);
    expect(pods).toHaveLength(3);
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(containers[0].image).toBe(`registry.example.com/shipgate@sha256:${'0'.repeat(64)}`);
    }
  });

  it('makes backups by a schedule if they are enabled, with the role that migrates and the way to the bucket', () => {
    const backup = { enabled: true, schedule: '5 1 * * *', to: 's3://backups/shipgate/', recipient: 'age1example' };
    const manifests = render({ ...REQUIRED, backup });
    expect(kubernetesProblems(manifests)).toEqual([]);
    const job = manifests.find(({ kind }) => kind === 'CronJob') as unknown as {
      readonly spec: { readonly schedule: string; readonly jobTemplate: { readonly spec: { readonly template: Pod } } };
    };
    expect(job.spec.schedule).toBe('5 1 * * *');
    const [container] = job.spec.jobTemplate.spec.template.spec.containers;
    expect(container.command).toEqual([
      'node',
      'dist/src/cli/backup.js',
      '--to',
      's3://backups/shipgate/',
      '--recipient',
      'age1example',
    ]);
    expect(container.envFrom.map(({ secretRef }) => secretRef.name)).toEqual(['shipgate', 'shipgate-migration']);
    const policy = policies(manifests).find(({ metadata }) => metadata.name === 'production-shipgate-backup');
    expect(policy?.spec.egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53, 5432, 443]);
    expect(policy?.spec.ingress).toBeUndefined();
    expect(render(REQUIRED).filter(({ kind }) => kind === 'CronJob')).toEqual([]);
  });

  it('migrates before everything else, and gives the role for it to no other process', () => {
    const [migration, ...processes] = workloads(render(REQUIRED)).toSorted((left, right) =>
      right.kind.localeCompare(left.kind),
    );
    expect(migration?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    const [job] = migration?.spec.template.spec.containers ?? [];
    expect(job?.command).toContain('dist/src/cli/migrate.js');
    expect(job?.envFrom.map(({ secretRef }) => secretRef.name)).toEqual(['shipgate', 'shipgate-migration']);
    for (const { spec } of processes) {
      expect(spec.template.spec.containers[0].envFrom).toEqual([{ secretRef: { name: 'shipgate' } }]);
    }
    const roles = processes.flatMap(({ spec }) => spec.template.spec.containers[0].env[0]);
    expect(roles).toEqual([
      { name: 'ROLE', value: 'web' },
      { name: 'ROLE', value: 'worker' },
    ]);
  });

  (isInstalled('kubectl', 'the test of the backup job') ? it : it.skip)(
    'has a migration job of which the commands of the guide make a backup job',
    () => {
      const [, patch = ''] =
        /--patch '(\[.*?\])' \| kubectl/s.exec(readFileSync('docs/guides/backup.md', 'utf8')) ?? [];
      const chart = helm(['template', 'shipgate'], REQUIRED).output;
      const migration = parseAllDocuments(chart).find((document) => document.get('kind') === 'Job');
      const input = String(migration);
      const command = ['patch', '--local', '--filename', '-', '--type', 'json', '--output', 'yaml', '--patch', patch];
      const { stdout, stderr } = spawnSync('kubectl', command, { input, encoding: 'utf8' });
      expect(stderr).toBe('');
      const backup = parse(stdout) as Workload;
      expect(kubernetesProblems([backup])).toEqual([]);
      expect(backup.metadata.name).toBe('shipgate-backup');
      const { metadata, spec } = backup.spec.template;
      expect(spec.containers[0].command).toContain('dist/src/cli/backup.js');
      expect(spec.containers[0].envFrom.map(({ secretRef }) => secretRef.name)).toContain('shipgate-migration');
      // Its network is not limited to the database, and it has the rights of the account of the processes.
      const limited = policies(parseAllDocuments(chart).map((document) => document.toJS() as Manifest));
      const components = limited.map(
        ({ spec: policy }) => policy.podSelector.matchLabels['app.kubernetes.io/component'],
      );
      expect(components).not.toContain(metadata.labels['app.kubernetes.io/component']);
      expect(chart).toContain(`serviceAccountName: ${(spec as { serviceAccountName?: string }).serviceAccountName}\n`);
    },
  );

  it('passes settings by the names of the service, with their exact values', () => {
    for (const { spec } of workloads(render(EVERYTHING))) {
      const settings = Object.fromEntries(spec.template.spec.containers[0].env.map(({ name, value }) => [name, value]));
      expect(Object.keys(VARIABLES)).toEqual(expect.arrayContaining(Object.keys(settings)));
      expect(settings).toMatchObject({
        BASE_URL: 'https://releases.example.com',
        BILLING: 'off',
        MAX_CONNECTIONS_PER_ADDRESS: '999999',
      });
    }
  });

  it('limits the network of each pod: only web is reached, and only the database, DNS and HTTPS are', () => {
    const manifests = render(REQUIRED);
    const selectors = policies(manifests).map(({ spec }) => spec.podSelector.matchLabels);
    for (const { spec } of workloads(manifests)) {
      expect(spec.template.metadata.labels).toMatchObject(
        selectors.find(
          ({ 'app.kubernetes.io/component': part }) =>
            part === spec.template.metadata.labels['app.kubernetes.io/component'],
        ) ?? { none: 'selects this pod' },
      );
    }
    const rules = policies(manifests).map(({ metadata, spec }) => [
      metadata.name,
      spec.ingress?.length ?? 0,
      spec.egress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    ]);
    expect(rules).toEqual([
      ['production-shipgate-web', 1, [53, 53, 5432, 443]],
      ['production-shipgate-worker', 0, [53, 53, 5432, 443]],
      ['production-shipgate-migrate', 0, [53, 53, 5432]],
    ]);
  });

  it('adds the readers of metrics to those that may reach web, and lets them reach the workers', () => {
    const sources = policies(render(EVERYTHING)).map(({ spec }) => spec.ingress?.flatMap(({ from }) => from));
    expect(sources).toEqual([[peer('ingress'), peer('monitoring')], [peer('monitoring')], undefined]);
  });

  it.each<[string, object]>([
    ['no image', { ...REQUIRED, image: {} }],
    ['no address', { ...REQUIRED, baseUrl: '' }],
    ['an address without TLS', { ...REQUIRED, baseUrl: 'http://releases.example.com' }],
    ['no secret', { ...REQUIRED, existingSecret: '' }],
    ['no secret for the migration', { ...REQUIRED, migration: {} }],
    ['backups without a place', { ...REQUIRED, backup: { enabled: true } }],
    ['a misspelled value', { ...REQUIRED, replicas: 3 }],
    ['no process of a kind', { ...REQUIRED, worker: { replicas: 0 } }],
    ['a setting that it makes itself', { ...REQUIRED, config: { ROLE: 'all' } }],
    ['a switch that YAML reads as a boolean', { ...REQUIRED, config: { BILLING: false } }],
  ])('refuses %s', (_, values) => {
    expect(helm(['template', 'production'], values).problem).toMatch(/values don't meet the specifications/);
  });
});
