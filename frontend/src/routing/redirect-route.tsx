import { Navigate, useLocation } from 'react-router';
import { replaceParams } from './paths';
import { readParams } from './route-params';

interface RedirectProps {
  path: string;
  target: string;
}

/** Goes on to another path with all parameters of this one. */
export function Redirect({ path, target }: RedirectProps) {
  const { pathname, search, hash } = useLocation();
  const params = readParams(path, pathname, search) ?? {};
  return <Navigate to={replaceParams(target, params) + hash} replace />;
}
