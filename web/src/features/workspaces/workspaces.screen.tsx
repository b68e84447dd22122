import { ActionList, Heading, Label, Spinner } from '@primer/react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { api, readBody } from '../../api/client.js';
import { workspacesQuery } from '../../api/session.query.js';
import { EmptyState, ErrorState } from '../../ui/states.js';
import { words } from '../../words/en.js';

/** Selects the workspace of the session. With one workspace it does so by itself. */
export function WorkspacesScreen() {
  const { returnTo } = useSearch({ from: '/session/workspaces' });
  const [client, router] = [useQueryClient(), useRouter()];
  const workspaces = useQuery(workspacesQuery);
  const select = useMutation({
    mutationFn: (org: string) => readBody(api.POST('/api/auth/workspace', { body: { org } })),
    onSuccess: async (_, org) => {
      // Everything in the cache belongs to the former workspace.
      client.clear();
      await router.invalidate();
      router.history.push(returnTo !== undefined && isWithin(returnTo, org) ? returnTo : `/w/${org}/releases`);
    },
  });
  const selectOnly = useEffectEvent(select.mutate);
  const list = workspaces.data?.workspaces;
  const only = list?.length === 1 && !workspaces.data?.reading ? list[0]!.org : null;
  useEffect(() => {
    if (only !== null) selectOnly(only);
  }, [only]);

  return (
    <main id="main" className="page">
      <Heading as="h1">{words.workspaces.title}</Heading>
      {workspaces.isError && (
        <ErrorState
          title={words.workspaces.failed}
          error={workspaces.error}
          onRetry={() => void workspaces.refetch()}
        />
      )}
      {select.isError && (
        <ErrorState title={words.workspaces.notSelected} error={select.error} onRetry={() => select.reset()} />
      )}
      {workspaces.isPending && <Spinner srText={words.states.loading} />}
      {workspaces.data?.reading && <output>{words.workspaces.reading}</output>}
      {list?.length === 0 && !workspaces.data?.reading && <EmptyState title={words.workspaces.none} />}
      {list !== undefined && list.length > 0 && (
        <>
          <p>{words.workspaces.lead}</p>
          <ActionList showDividers aria-label={words.workspaces.title}>
            {list.map(({ org, role, installed }) => (
              <ActionList.Item key={org} disabled={select.isPending} onSelect={() => select.mutate(org)}>
                {org}
                {!installed && <ActionList.Description>{words.workspaces.notInstalled}</ActionList.Description>}
                <ActionList.TrailingVisual>
                  <Label>{words.workspaces.role[role] ?? role}</Label>
                </ActionList.TrailingVisual>
              </ActionList.Item>
            ))}
          </ActionList>
        </>
      )}
    </main>
  );
}

const isWithin = (path: string, org: string): boolean => path.toLowerCase().startsWith(`/w/${org.toLowerCase()}/`);
