// Names of the engine's levels.

const names = [[2, "beginner"], [5, "casual"], [8, "club player"], [11, "strong club player"], [14, "expert"], [17, "master"], [19, "grandmaster"], [20, "full strength"]];

// levelName returns a level's number and name.
export const levelName = (level) => `level ${level}, ${names.find(([highest]) => level <= highest)[1]}`;
