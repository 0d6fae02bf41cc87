import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { logoAddress } from '@/logo/logo-value';
import { useLogoInformation } from '@/logo/use-logo-information';
import { LogoMark } from '@/ui/logo-mark';

/** Who issues the form: their logo, or our mark and their name while there is none that can be shown. */
export function PaperIssuer() {
  const { t } = useTranslation('common');
  const name = useAuth().currentUser?.organization.name ?? t('appName');
  const picture = logoAddress(useLogoInformation()?.url ?? '');
  const [missing, setMissing] = useState<string>();
  if (picture && picture !== missing) {
    return (
      <img
        src={picture}
        alt={name}
        className="max-h-10.5 max-w-50 min-w-0 object-contain object-left"
        onError={() => setMissing(picture)}
      />
    );
  }
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <LogoMark size={32} className="shrink-0" />
      <span className="text-lg font-semibold wrap-anywhere">{name}</span>
    </div>
  );
}
