import { repositoryRoute, type Route } from './route.js';

export const attestationRoutes: readonly Route[] = [
  repositoryRoute('GET', '/attestations/:digest', 'attestations:read', (call) => {
    const { repository, state } = call;
    return call.page(
      repository.attestations.list(call.param('digest'), call.query('predicate_type')),
      ({ id, bundle, isApart }) => ({
        bundle: isApart ? null : bundle,
        repository_id: repository.id,
        bundle_url: `${state.url}/attestations/${repository.id}/${id}.json.sn?sig=signature`,
        initiator: 'user',
      }),
      (attestations) => ({ attestations }),
    );
  }),
];
