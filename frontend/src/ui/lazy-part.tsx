import { type ComponentType, lazy, useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from './toast';

/** Reports that a part failed to load and leaves the page unchanged. */
function MissingPart({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('common');
  const leave = useEffectEvent(() => {
    toast.error(t('partMissing'), { id: 'part-missing' });
    onLeave();
  });
  useEffect(() => leave(), []);
  return null;
}

/** A dialog or other part that is loaded on first use. If loading fails, the page and its unsaved input survive. */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  leave: (props: Props) => void,
) {
  return lazy(async () => {
    try {
      return await load();
    } catch {
      return { default: (props: Props) => <MissingPart onLeave={() => leave(props)} /> };
    }
  });
}
