import { use } from 'react';
import { act, render, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, Link, RouterProvider, useNavigation } from 'react-router';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import type { PageImport, RouteEntry } from './declarations';
import { TrailingSlashRule } from './page-loading';
import { toRouteObjects } from './route-objects';
import { ParamsContext } from './routes';

function page(title: string): PageImport {
  return () =>
    Promise.resolve({
      default: function Page() {
        const params = use(ParamsContext);
        const { state } = useNavigation();
        return (
          <main aria-busy={state !== 'idle'}>
            <title>{title}</title>
            <h1>{title}</h1>
            <p>{JSON.stringify(params)}</p>
            <Link to="/slow">Go to slow</Link>
            <Link to="?sort=id">Sort</Link>
            <input aria-label="Note" />
          </main>
        );
      },
    });
}

let finishSlow: () => void = () => undefined;

function declarations(): RouteEntry[] {
  const slow: PageImport = () =>
    new Promise((resolve) => {
      finishSlow = () => void page('Slow')().then(resolve);
    });
  return [
    { path: '/', redirect: 'home' },
    { name: 'home', path: '/home', page: page('Home') },
    { name: 'login', path: '/login', page: page('Login') },
    { name: 'slow', path: '/slow', page: slow },
    { name: 'first', path: '/drivers/new', page: page('New driver') },
    { name: 'driver', path: '/drivers/{driverId}', page: page('Driver') },
    {
      name: 'contact',
      path: '/user/{id:Int}/contact/{contactId:Int}',
      page: page('Contact'),
    },
    { path: '/redirect2/{value}', redirect: '/param-test/{value}' },
    { name: 'param', path: '/param-test/{value}', page: page('Param') },
    {
      unauthenticated: 'login',
      routes: [
        { name: 'private', path: '/private', page: page('Private') },
        { name: 'forbidden', path: '/forbidden', page: page('Forbidden') },
        {
          unauthenticated: 'forbidden',
          roles: ['admin'],
          wrap: ({ children }) => <section aria-label="Wrapper">{children}</section>,
          routes: [{ name: 'users', path: '/users', page: page('Users') }],
        },
      ],
    },
    { notFound: true, page: page('Not found') },
  ];
}

async function open(address: string, heading: string) {
  const view = renderRoutes(declarations(), address);
  await screen.findByRole('heading', { name: heading });
  return view;
}

beforeEach(() => {
  startFakeServer();
});

describe('pages', () => {
  it('get path parameters cast and query parameters as text, the path first', async () => {
    await open('/user/1/contact/2?contactId=two&tab=x', 'Contact');
    expect(screen.getByText('{"contactId":2,"tab":"x","id":1}')).toBeInTheDocument();
  });

  it('get decoded values', async () => {
    await open('/drivers/A%2FB%20C', 'Driver');
    expect(screen.getByText('{"driverId":"A/B C"}')).toBeInTheDocument();
  });

  it('take the first route that matches', async () => {
    await open('/drivers/new', 'New driver');
  });

  it('are not found for an unknown address, another case or a value of another type', async () => {
    await open('/nothing', 'Not found');
    await open('/HOME', 'Not found');
    await open('/user/x/contact/2', 'Page not found');
  });

  it('are found with a slash at the end, which is dropped, and keep the query', async () => {
    const { address } = await open('/home/?a=1', 'Home');
    expect(address()).toBe('/home?a=1');
  });
});

describe('redirects', () => {
  it('go to a named route', async () => {
    expect((await open('/?a=1', 'Home')).address()).toBe('/home?a=1');
  });

  it('carry all parameters into a template', async () => {
    expect((await open('/redirect2/x?q=y', 'Param')).address()).toBe('/param-test/x?q=y');
  });

  it('are not found in another case', async () => {
    await open('/REDIRECT2/x', 'Not found');
  });
});

describe('private sets', () => {
  it('send the signed out to login with the way back', async () => {
    const { address } = await open('/private?bazinga=yeah', 'Login');
    expect(address()).toBe('/login?redirectTo=/private%3Fbazinga%3Dyeah');
  });

  it('show a loading view until it is known who is there', async () => {
    let answer: (response: Response) => void = () => undefined;
    vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)));
    renderRoutes(declarations(), '/private');
    await screen.findByText('Loading...');
    await act(async () => answer(new Response('')));
    expect(await screen.findByRole('heading', { name: 'Login' })).toBeInTheDocument();
  });

  it('let the signed in through', async () => {
    startFakeServer({ user: { ...rosa, roles: [] } });
    await open('/private', 'Private');
  });

  it('send whoever lacks the role to forbidden, without the wrapper', async () => {
    startFakeServer({ user: { ...rosa, roles: ['viewer'] } });
    const { address } = await open('/users', 'Forbidden');
    expect(address()).toBe('/forbidden?redirectTo=/users');
    expect(screen.queryByRole('region', { name: 'Wrapper' })).not.toBeInTheDocument();
  });

  it('wrap the pages of those who hold the role', async () => {
    startFakeServer({ user: rosa });
    await open('/users', 'Users');
    expect(screen.getByRole('region', { name: 'Wrapper' })).toBeInTheDocument();
  });

  it('keep the page when the session ends, and send to login when it is left', async () => {
    startFakeServer({ user: rosa });
    const { auth, address } = await open('/private', 'Private');
    act(() => auth.expire());
    expect(screen.getByRole('heading', { name: 'Private' })).toBeInTheDocument();
    act(() => auth.leave());
    await screen.findByRole('heading', { name: 'Login' });
    expect(address()).toBe('/login?redirectTo=/private');
  });
});

describe('a change of page', () => {
  it('is announced, and moves the focus to the heading', async () => {
    const { user } = await open('/home', 'Home');
    const announcer = document.getElementById('redwood-announcer');
    expect(announcer).toHaveAttribute('aria-live', 'assertive');
    expect(announcer).toBeEmptyDOMElement();
    await user.click(screen.getByRole('link', { name: 'Go to slow' }));
    act(() => finishSlow());
    const heading = await screen.findByRole('heading', { name: 'Slow' });
    await waitFor(() => expect(announcer).toHaveTextContent('Slow'));
    expect(heading).toHaveFocus();
  });

  it('leaves the focus to whoever acts before it moves', async () => {
    const { user } = await open('/home', 'Home');
    const announcer = document.getElementById('redwood-announcer');
    await user.click(screen.getByRole('link', { name: 'Go to slow' }));
    act(() => finishSlow());
    await screen.findByRole('heading', { name: 'Slow' });
    await user.click(screen.getByRole('textbox', { name: 'Note' }));
    await user.keyboard('typed at once');
    await waitFor(() => expect(announcer).toHaveTextContent('Slow'));
    await user.keyboard(' and on');
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveValue('typed at once and on');
  });

  it('is not a change of the search', async () => {
    const { user, address } = await open('/home', 'Home');
    await user.click(screen.getByRole('link', { name: 'Sort' }));
    await waitFor(() => expect(address()).toBe('/home?sort=id'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(screen.getByRole('link', { name: 'Sort' })).toHaveFocus();
    expect(document.getElementById('redwood-announcer')).toBeEmptyDOMElement();
  });

  it('shows the loading bar only after 1000 ms', async () => {
    const { router } = await open('/home', 'Home');
    vi.useFakeTimers();
    await act(async () => void router.navigate('/slow'));
    act(() => void vi.advanceTimersByTime(999));
    expect(screen.queryByRole('progressbar')).not.toBeInTheDocument();
    act(() => void vi.advanceTimersByTime(1));
    expect(screen.getByRole('progressbar', { name: 'Page is loading' })).toBeInTheDocument();
    vi.useRealTimers();
    act(() => finishSlow());
    await screen.findByRole('heading', { name: 'Slow' });
    expect(screen.queryByRole('progressbar')).not.toBeInTheDocument();
  });
});

it('a private page whose code is missing waits for the frame that shows the error', async () => {
  let finishFrame: () => void = () => undefined;
  const lost: PageImport = () => Promise.reject(new Error('chunk'));
  const routes = toRouteObjects(
    [
      { name: 'login', path: '/login', page: page('Login') },
      { unauthenticated: 'login', routes: [{ name: 'lost', path: '/lost', page: lost }] },
    ],
    {
      whileLoadingAuth: null,
      notFound: () => null,
      pageFailure: () => null,
      loadForPrivate: () => new Promise((resolve) => (finishFrame = resolve)),
    },
  );
  const router = createMemoryRouter(routes, { initialEntries: ['/lost'] });
  await new Promise((resolve) => setTimeout(resolve));
  expect(router.state.initialized).toBe(false);
  finishFrame();
  await waitFor(() => expect(router.state.initialized).toBe(true));
});

it('a page whose code was missing is loaded again when it is visited again', async () => {
  const tries = vi.fn(page('Lost')).mockRejectedValueOnce(new Error('chunk'));
  const routes: RouteEntry[] = [
    { name: 'about', path: '/about', page: page('About') },
    { name: 'lost', path: '/lost', page: tries },
  ];
  const { router } = renderRoutes(routes, '/lost');
  await screen.findByRole('heading', { name: 'Something went wrong' });
  await act(() => router.navigate('/about'));
  await screen.findByRole('heading', { name: 'About' });
  await act(() => router.navigate('/lost'));
  expect(await screen.findByRole('heading', { name: 'Lost' })).toBeInTheDocument();
  expect(tries).toHaveBeenCalledTimes(2);
});

it.each([
  ['always', '/about?a=1', '/about/?a=1'],
  ['preserve', '/about/', '/about/'],
  ['never', '/about/', '/about'],
] as const)('a trailing slash can be set to %s: %s becomes %s', async (rule, from, to) => {
  const element = (
    <TrailingSlashRule rule={rule}>
      <h1>About</h1>
    </TrailingSlashRule>
  );
  const router = createMemoryRouter([{ path: '*', element }], { initialEntries: [from] });
  render(<RouterProvider router={router} />);
  await screen.findByRole('heading', { name: 'About' });
  expect(router.state.location.pathname + router.state.location.search).toBe(to);
});
