import './app/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyColorMode } from './app/color-mode.js';
import { createQueryClient } from './app/query-client.js';
import { restoreFocus } from './app/restore-focus.js';
import { createAppRouter } from './app/router.js';

applyColorMode();
restoreFocus();
const client = createQueryClient();
const router = createAppRouter(client);
// The code of the first screen loads at the same time as the session, not after it.
const [firstRoutes] = router.getMatchedRoutes(location.pathname);
for (const route of firstRoutes) void router.loadRouteChunk(route);

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
