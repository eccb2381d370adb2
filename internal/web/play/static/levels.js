// Names of the engine's levels.

const names = [[2, "beginner"], [5, "casual player"], [8, "club player"], [11, "strong club player"], [14, "expert"], [17, "master"], [19, "grandmaster"], [20, "full strength"]];

// levelNumber names a level, or a rating, in few words; levelName also says how strong it is.
export const levelNumber = (level) => level >= 400 ? `about ${level} on Lichess` : `level ${level}`;
export const levelName = (level) => {
  if (level >= 400) return levelNumber(level);
  return level < 0 || level > 20 ? "no such level" : `${levelNumber(level)} (${names.find(([highest]) => level <= highest)[1]})`;
};
