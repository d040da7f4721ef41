-- sum.hs - laziness, big integers, a map, exceptions, threads of the runtime.
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.Map.Strict as M
import System.Exit

next :: Int -> Int
next x = x * 16807 `mod` 2147483647

main :: IO ()
main = do
    let counts = M.fromListWith (+) [(x `mod` 1009, 1 :: Int) | x <- take 20000 (iterate next 1)]
    print (M.size counts, M.foldl' (+) 0 counts, fst (M.findMin counts))
    print (product [1 .. 60 :: Integer])
    r <- try (evaluate (1 `div` (length "" :: Int))) :: IO (Either ArithException Int)
    print r
    done <- newEmptyMVar
    forM_ [1 .. 10 :: Int] $ \i -> forkIO (evaluate (sum [1 .. i * 1000]) >>= putMVar done)
    sums <- replicateM 10 (takeMVar done)
    print (sum sums)
    exitWith (ExitFailure 5)
