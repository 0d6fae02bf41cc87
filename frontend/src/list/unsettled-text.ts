import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FilterValue } from './filters-codec';
import type { LookupResult } from './use-lookup';

interface UnsettledTextOptions extends LookupResult {
  /** The text of a picker that has not become a choice. */
  text: string;
  onChoose: (option: FilterValue) => void;
}

/**
 * For pickers whose only values are their suggestions. Leaving the picker chooses the suggestion that was typed in full.
 * Other text stays, with `error`, and `mark` on the input keeps the form from being sent without it.
 */
export function useUnsettledText({ text, options, loading, onChoose }: UnsettledTextOptions) {
  const { t } = useTranslation('list');
  const isUnsettled = text.trim() !== '';
  // Text that is there from the start was typed and left earlier.
  const [isLeft, setLeft] = useState(isUnsettled);
  const [refused, setRefused] = useState('');
  const isPressed = useMousePressed();

  const settle = useEffectEvent(() => {
    const typed = text.trim().toLowerCase();
    const [match, ...others] = options.filter((option) =>
      [option.label, option.value].some((own) => own.toLowerCase() === typed),
    );
    const isChosen = isUnsettled && match !== undefined && others.length === 0;
    // The suggestions may still be those of an earlier text.
    if (isUnsettled && !isChosen && loading) return;
    setLeft(false);
    if (isChosen) onChoose(match);
    else setRefused(text);
  });
  // Wait for the release: a change here moves the controls below, and one that moves while it is pressed is not clicked.
  // A layout effect renders before the click that follows, so that a click on Save includes the value.
  useLayoutEffect(() => {
    if (isLeft && !isPressed) settle();
  }, [isLeft, isPressed, loading]);

  return {
    error: isUnsettled && refused === text ? t('chooseSuggestion') : undefined,
    mark: { 'data-unsettled': isUnsettled || undefined },
    onLeave: () => setLeft(true),
    onReturn: () => {
      // A form that is sent before the suggestions arrive focuses the input, which then has to say why.
      if (isLeft) setRefused(text);
      setLeft(false);
    },
  };
}

/** Focuses the first picker of a form whose text is not a choice. Returns whether there is one. */
export function focusUnsettled(form: HTMLElement): boolean {
  const input = form.querySelector<HTMLElement>('[data-unsettled]');
  input?.focus();
  return input !== null;
}

/** Whether a mouse button is down. */
function useMousePressed(): boolean {
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    const update = ({ buttons }: MouseEvent) => setPressed(buttons !== 0);
    window.addEventListener('mousedown', update, { capture: true });
    window.addEventListener('mouseup', update, { capture: true });
    return () => {
      window.removeEventListener('mousedown', update, { capture: true });
      window.removeEventListener('mouseup', update, { capture: true });
    };
  }, []);
  return isPressed;
}
