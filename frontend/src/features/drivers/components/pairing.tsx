import { Smartphone } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { useUnpairedDevices } from '../use-unpaired-devices';
import { PairingPanel } from './pairing-panel';

interface PairingProps {
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Says that devices wait for a driver, and opens where they are given one. */
export function Pairing({ isOpen, onOpenChange }: PairingProps) {
  const { t } = useTranslation('drivers');
  const result = useUnpairedDevices();
  const [isPutOff, setPutOff] = useState(false);
  const count = result.value?.length ?? 0;
  return (
    <>
      {count > 0 && !isPutOff && (
        <Note
          role="status"
          className="mb-3"
          title={t('pairing.waiting', { count, shown: formatCount(count) })}
        >
          <span className="mt-1 flex gap-2">
            <Button size={28} icon={Smartphone} onClick={() => onOpenChange(true)}>
              {t('pairing.title')}
            </Button>
            <Button size={28} variant="quiet" onClick={() => setPutOff(true)}>
              {t('pairing.later')}
            </Button>
          </span>
        </Note>
      )}
      {isOpen && <PairingPanel result={result} onClose={() => onOpenChange(false)} />}
    </>
  );
}
