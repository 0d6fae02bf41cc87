import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router';
import { App } from './app/app';
import { declarations } from './app/declarations';
import { createAppRoutes } from './app/router';
import { createAuthClient, watchUse } from './auth/auth-client';
import { createAuthStore } from './auth/auth-store';
import { fetchCurrentUser } from './auth/current-user';
import { timedFetch } from './data/timed-fetch';
import { startI18n } from './i18n/i18n';
import { followSystemTheme } from './ui/theme';
import './ui/styles.css';

startI18n();
followSystemTheme();

const auth = createAuthStore(createAuthClient({ fetch: timedFetch, wasUsed: watchUse(document) }), (token) =>
  fetchCurrentUser(token, { fetch: timedFetch }),
);
// Called before the first render, so that the request runs while the page's code loads.
void auth.reauthenticate();
const router = createBrowserRouter(createAppRoutes(declarations));

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element');
createRoot(root).render(
  <StrictMode>
    <App auth={auth} router={router} />
  </StrictMode>,
);
// public/startup.js stops watching for missing files of the build.
window.dispatchEvent(new Event('waybill:started'));
