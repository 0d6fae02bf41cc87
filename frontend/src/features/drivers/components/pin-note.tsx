import { KeyRound } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { resetPinAddress } from '../list-links';

/** What a new driver still needs to sign in. */
export function PinNote({ username }: { username: string }) {
  const { t } = useTranslation('drivers');
  return (
    <Note className="mb-4" title={t('new.pinTitle')}>
      <p>{t('new.pinText')}</p>
      <Button asChild size={28} icon={KeyRound} className="mt-2">
        <Link to={resetPinAddress(username)}>{t('new.pinLink')}</Link>
      </Button>
    </Note>
  );
}
