import type { FastifyInstance } from 'fastify';

const BY_ID = '/api/milestones/:id';
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/**
 * Lets the id of a release in a path be a UUID and nothing else. What follows an id may also be a repository's name behind
 * its owner's: `/api/milestones/acme/evidence` lists the releases of a repository that is called so.
 */
export function keepIdsFromNames(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url === BY_ID || route.url.startsWith(`${BY_ID}/`)) {
      route.url = `${BY_ID}(${UUID})${route.url.slice(BY_ID.length)}`;
    }
  });
}
