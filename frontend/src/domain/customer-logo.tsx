import { useMemo } from 'react';
import { useAuth } from '@/auth/use-auth';
import { graphql } from '@/data/graphql';
import { currentUserChangedSubscription, useChanges } from '@/data/use-changes';
import { useRecord } from '@/data/use-record';
import { LogoHead } from './logo';
import {
  LOGO_DEFAULTS,
  LOGO_SETTING_ID,
  logoAddress,
  type LogoInformation,
  parseLogo,
} from './logo-value';

const logoInformationQuery = graphql(`
  query GetLogoInformation($id: String!) {
    logoInformation: getLogoInformation(id: $id) {
      id
      value
    }
  }
`);

const variables = { id: LOGO_SETTING_ID };
const typenames = ['SystemSetting'];
const NO_VARIABLES = {};

/** Returns the saved logo and follows its changes; undefined until loaded. */
function useLogoInformation(): LogoInformation | undefined {
  const { value, error, refresh } = useRecord({
    document: logoInformationQuery,
    variables,
    typenames,
    read: (data) => data.logoInformation,
  });
  // The server reports a new logo as a change of the current user.
  useChanges(currentUserChangedSubscription, NO_VARIABLES, refresh);
  const isKnown = value !== undefined || error !== undefined;
  const text = value?.value;
  return useMemo(() => (isKnown ? parseLogo(text) : undefined), [isKnown, text]);
}

/** The logo at the top of the drawer, or the organization's name if there is none. */
export function CustomerLogo() {
  const logo = useLogoInformation();
  const name = useAuth().currentUser?.organization.name ?? '';
  return (
    <LogoHead measures={logo ?? LOGO_DEFAULTS} picture={logo && logoAddress(logo.url)} name={name}>
      {logo && (
        <span className="line-clamp-2 max-w-50 text-title font-semibold tracking-[-0.012em]">
          {name}
        </span>
      )}
    </LogoHead>
  );
}
