import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { configQuery, workspacesQuery } from '../../api/session.query.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { ButtonLink, ExternalButton } from '../../ui/links.js';
import { QueryError } from '../../ui/query-region.js';
import { Section } from '../../ui/section.js';
import { Placeholder } from '../../ui/states.js';
import { text } from '../../texts/en/first-steps.js';
import classes from './first-steps.module.css';

type Step = keyof typeof text.steps;
type StepState = keyof typeof text.states;

const ORDER = ['install', 'repository', 'upload', 'protect', 'invite'] as const satisfies readonly Step[];
const KINDS = { done: 'good', waiting: 'waiting', next: 'running', todo: 'neutral' } as const satisfies Record<
  StepState,
  StatusKind
>;

/** How many repositories there are in each state of the set-up. */
const setupQuery = queryOptions({
  queryKey: ['repositories', 'first-steps'],
  queryFn: async ({ signal }) => {
    const params = { query: { page: 1, pageSize: 10 } } as const;
    // An array is the response to requests without a page.
    return ((await readBody(api.GET('/api/repos', { params, signal }))) as Schema<'RepositoryList'>).counts;
  },
});

/** Whether any release has evidence. */
const evidenceQuery = queryOptions({
  queryKey: ['quality', 'first-steps'],
  queryFn: async ({ signal }) => {
    const params = { query: { page: 1, pageSize: 10, results: 'none' } } as const;
    return ((await readBody(api.GET('/api/quality', { params, signal }))).pagination?.total ?? 0) > 0;
  },
});

/** Whether the workspace has a second member, or an invite for one. */
const teamQuery = queryOptions({
  queryKey: ['team', 'first-steps'],
  queryFn: async ({ signal }) => {
    const { members, invites } = await readBody(api.GET('/api/team', { signal }));
    return members.length + invites.length > 1;
  },
});

/** What an empty workspace needs, in this order, each with its state and its next click. Nothing once all of it is done. */
export function FirstSteps() {
  const { org } = useParams({ from: '/session/w/$org' });
  const config = useQuery(configQuery);
  const [workspaces, setup, evidence, team] = [
    useQuery(workspacesQuery),
    useQuery(setupQuery),
    useQuery(evidenceQuery),
    useQuery(teamQuery),
  ];
  const failed = [workspaces, setup, evidence, team].find(({ error }) => error !== null);
  if (failed) return <QueryError query={failed} failed={text.failed} />;
  const { data: counts } = setup;
  if (!workspaces.data || !counts || evidence.data === undefined || team.data === undefined) {
    return <Placeholder rows={ORDER.length} />;
  }
  const isDone: Readonly<Record<Step, boolean>> = {
    install: workspaces.data.workspaces.some((one) => one.org.toLowerCase() === org.toLowerCase() && one.installed),
    repository:
      counts.MERGED + counts.PROTECTION_PENDING + counts.PROTECTION_FAILED + counts.COMPLETE + counts.LEGACY > 0,
    upload: evidence.data,
    protect: counts.COMPLETE > 0,
    invite: team.data,
  };
  const next = ORDER.find((step) => !isDone[step]);
  if (next === undefined) return null;
  const toState = (step: Step): StepState => {
    if (isDone[step]) return 'done';
    if (step === 'repository' && counts.PR_OPEN > 0) return 'waiting';
    return step === next ? 'next' : 'todo';
  };
  const variant = (step: Step) => (step === next ? 'primary' : 'default');
  const buttons: Readonly<Record<Step, ReactNode>> = {
    install: <ExternalButton href={config.data?.installUrl ?? null}>{text.steps.install.action}</ExternalButton>,
    repository: (
      <ButtonLink variant={variant('repository')} to="/w/$org/repositories" params={{ org }}>
        {text.steps.repository.action}
      </ButtonLink>
    ),
    upload: (
      <ButtonLink variant={variant('upload')} to="/w/$org/settings/api-keys" params={{ org }} hash="ci">
        {text.steps.upload.action}
      </ButtonLink>
    ),
    protect: (
      <ButtonLink variant={variant('protect')} to="/w/$org/repositories" params={{ org }}>
        {text.steps.protect.action}
      </ButtonLink>
    ),
    invite: (
      <ButtonLink variant={variant('invite')} to="/w/$org/settings/team" params={{ org }}>
        {text.steps.invite.action}
      </ButtonLink>
    ),
  };
  return (
    <Section title={text.title}>
      <p>{text.lead}</p>
      <ol className={classes['steps']}>
        {ORDER.map((step) => (
          <li key={step} {...(step === next && { 'aria-current': 'step' as const })}>
            <div className={classes['step']}>
              <strong>{text.steps[step].name}</strong>{' '}
              <StatusLabel kind={KINDS[toState(step)]}>{text.states[toState(step)]}</StatusLabel>
              <div className="quiet">{text.steps[step].hint}</div>
            </div>
            {!isDone[step] && buttons[step]}
          </li>
        ))}
      </ol>
    </Section>
  );
}
