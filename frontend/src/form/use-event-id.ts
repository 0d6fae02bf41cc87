import { useRef } from 'react';
import { newUuid } from '@/lib/uuid';

/**
 * The id an event is sent under, by which the server knows one it has already. Sending the same
 * content again, after a lost answer for one, has the same id; other content is another event.
 */
export function useEventId(): (content: unknown) => string {
  const last = useRef<{ text: string; id: string }>(undefined);
  return (content) => {
    const text = JSON.stringify(content);
    if (last.current?.text !== text) last.current = { text, id: newUuid() };
    return last.current.id;
  };
}
