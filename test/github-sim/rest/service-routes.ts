import { appView } from '../views/app-view.js';
import type { AppManifests } from '../web/app-manifests.js';
import { notFound } from './api-error.js';
import { created, ok, publicRoute, type Route } from './route.js';

/** The description of the service, and the exchange of a manifest's code for its app. */
export function serviceRoutes(manifests: AppManifests): readonly Route[] {
  return [
    publicRoute('GET', '/meta', () =>
      ok({
        verifiable_password_authentication: false,
        hooks: ['127.0.0.0/8'],
        web: ['127.0.0.0/8'],
        api: ['127.0.0.0/8'],
      }),
    ),
    publicRoute('POST', '/app-manifests/:code/conversions', (call) => {
      const app = manifests.convert(call.param('code'));
      if (!app) throw notFound();
      return created({
        ...appView(app),
        client_id: app.clientId,
        client_secret: app.clientSecret,
        webhook_secret: app.webhookSecret,
        pem: app.privateKey,
      });
    }),
  ];
}
