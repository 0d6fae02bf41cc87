import { type ComponentType, lazy, type LazyExoticComponent, useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isOutdated } from '@/lib/newer-build';
import { toast } from './toast';

/** Returns a function that says what to do about a part that failed to load: after an update, only reloading the page helps. */
export function useMissingPartText(): () => Promise<string> {
  const { t } = useTranslation('common');
  return useCallback(async () => t((await isOutdated()) ? 'partMissing' : 'partUnreachable'), [t]);
}

/** Returns a function that reports a part that failed to load. */
export function useMissingPartToast(): () => Promise<void> {
  const textOf = useMissingPartText();
  return useCallback(async () => {
    toast.error(await textOf(), { id: 'part-missing' });
  }, [textOf]);
}

interface MissingPartProps {
  isQuiet: boolean;
  onLeave: () => void;
}

/** Reports that a part failed to load and leaves the page unchanged. */
function MissingPart({ isQuiet, onLeave }: MissingPartProps) {
  const report = useMissingPartToast();
  const leave = useEffectEvent(() => {
    if (!isQuiet) void report();
    onLeave();
  });
  useEffect(() => leave(), []);
  return null;
}

interface LazyPartOptions {
  /** Whether the page itself says that the part is missing. */
  isQuiet?: boolean;
}

/**
 * A dialog or other part that is loaded on first use, or earlier by `preload`. If loading fails, the page and its unsaved
 * input survive, and the part is loaded again when it is next shown.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  leave: (props: Props) => void,
  { isQuiet = false }: LazyPartOptions = {},
) {
  // Kept here, because React forgets the state of a component that suspends before it is first shown.
  let latest: LazyExoticComponent<ComponentType<Props>> | undefined;

  async function loadOrReport(): Promise<{ default: ComponentType<Props> }> {
    try {
      return await load();
    } catch {
      const onLeave = (props: Props) => {
        latest = undefined;
        leave(props);
      };
      return { default: (props) => <MissingPart isQuiet={isQuiet} onLeave={() => onLeave(props)} /> };
    }
  }

  function LazyPart(props: Props) {
    // Once per mount: a part that failed must not load again with each render.
    const [Part] = useState(() => (latest ??= lazy(loadOrReport)));
    return <Part {...props} />;
  }
  return Object.assign(LazyPart, { preload: () => void load().catch(() => undefined) });
}
