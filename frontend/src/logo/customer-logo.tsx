import { useAuth } from '@/auth/use-auth';
import { LogoHead } from './logo-head';
import { LOGO_DEFAULTS, logoAddress } from './logo-value';
import { useLogoInformation } from './use-logo-information';

/** The logo everybody sees at the top of the drawer; the organisation's name while there is none. */
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
