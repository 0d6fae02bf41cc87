import { useMemo } from 'react';
import { useRecord } from '@/data/use-record';
import { LOGO_SETTING_ID, type LogoInformation, parseLogo } from './logo-value';
import { logoInformationQuery } from './queries';

const variables = { id: LOGO_SETTING_ID };
const typenames = ['SystemSetting'];

/** The logo as it is saved, read anew when it is; undefined while nothing is known of it. */
export function useLogoInformation(): LogoInformation | undefined {
  const { value, error } = useRecord({
    document: logoInformationQuery,
    variables,
    typenames,
    read: (data) => data.logoInformation,
  });
  const isKnown = value !== undefined || error !== undefined;
  const text = value?.value;
  return useMemo(() => (isKnown ? parseLogo(text) : undefined), [isKnown, text]);
}
