// The few requests that prepare a test but are not its subject.
import type { APIRequestContext } from '@playwright/test';
import { noteIn } from '../../contract/secrets.mjs';

interface Credentials {
  username: string;
  password: string;
}

export const admin = { username: 'maria', email: 'maria@habagat.example', password: 'lagundi-42-tamaraw' };

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<any> {
  noteIn(body);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  const content: any = await answer.json();
  if (content.errors) throw new Error(`${url} refused: ${JSON.stringify(content.errors)}`);
  return content;
}

export async function createAdmin(base: string) {
  const query = 'mutation First($input: CreateAdminInput!) { createAdmin(input: $input) { id } }';
  await post(`${base}/graphql`, { query, variables: { input: admin } });
}

/** Signs a browser in without opening its pages. */
export async function signIn(request: APIRequestContext, { username, password } = admin as Credentials) {
  noteIn({ password });
  const answer = await request.post('/auth', { data: { method: 'login', username, password } });
  if (!answer.ok()) throw new Error(`nobody was signed in: ${await answer.text()}`);
}

/** Returns the headers of a signed-in browser for requests that need its token. */
export async function authorized(request: APIRequestContext): Promise<{ authorization: string }> {
  const token = await (await request.get('/auth?method=getToken')).text();
  return { authorization: `Bearer ${token}` };
}

/** Sends a GraphQL request as the signed-in browser, and returns its data. */
export async function ask(request: APIRequestContext, query: string, variables = {}): Promise<any> {
  const headers = await authorized(request);
  const answer = await request.post('/graphql', { data: { query, variables }, headers });
  const { data, errors } = await answer.json();
  noteIn(variables);
  noteIn(data);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/**
 * Imports a file with the requests of the import page, or only checks it, or has it wait for its columns. Returns the id
 * of the upload log.
 */
export async function importFile(
  request: APIRequestContext,
  name: string,
  content: Buffer,
  options: { dryRun?: boolean; chooseColumns?: boolean } = {},
): Promise<string> {
  const headers = await authorized(request);
  const link = await (await request.post('/request-upload-link', { data: { filename: name }, headers })).json();
  const put = await request.put(link.url, { data: content });
  if (put.status() !== 200) throw new Error(`the file was not taken: ${put.status()}`);
  const params = { url: link.url.split('?')[0], filename: name, sourceId: '', ...options };
  const { uploadLog } = await (await request.post('/upload-deliveries', { params, headers })).json();
  return uploadLog;
}
